"""The table of a comparison."""

import math

HEAD = ["program", "version", "cases", "right", "95 % interval", "wrong", "failed", "refused",
        "calls", "tokens in", "tokens out", "seconds", "in the model", "own time"]


def interval(right, cases):
    """Wilson's, as text2sql_eval.statistic('wilson', …) has it."""
    z = 1.959963984540054
    middle = right + z * z / 2
    width = z * math.sqrt(right * (cases - right) / cases + z * z / 4)
    return (middle - width) / (cases + z * z), (middle + width) / (cases + z * z)


def row(name, version, attempts):
    cases = len(attempts)
    count = {verdict: sum(a["verdict"] == verdict for a in attempts) for verdict in ("right", "wrong", "failed", "refused")}
    low, high = interval(count["right"], cases)

    def mean(field):
        return sum(a[field] for a in attempts) / cases

    # An endpoint that says no usage leaves tokens unknown, not zero.
    is_counted = not any(a["uncounted"] for a in attempts)
    tokens = [f"{mean(field):.0f}" if is_counted else "–" for field in ("input_tokens", "output_tokens")]
    own = mean("seconds") - mean("model_seconds")
    return [name, version, str(cases), f"{count['right'] / cases:.0%}", f"{low:.0%} to {high:.0%}",
            str(count["wrong"]), str(count["failed"]), str(count["refused"]), f"{mean('calls'):.1f}", *tokens,
            f"{mean('seconds'):.2f}", f"{mean('model_seconds'):.2f}", f"{own:.2f}"]


def render(attempts, versions, model):
    rows = [HEAD] + [row(name, versions[name], made) for name, made in attempts.items() if made]
    widths = [max(len(line[place]) for line in rows) for place in range(len(HEAD))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join([f"model: {model}; calls, tokens and seconds are means of a question", "", *lines])
