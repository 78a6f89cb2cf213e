"""The SQL in what a model wrote, for programs that hand it over as text."""

import re


def written_sql(text):
    """The statement without fences and labels; None where there is none."""
    text = (text or "").strip()
    fenced = re.search(r"```(?:sql|postgresql)?\s*(.*?)```", text, re.DOTALL | re.IGNORECASE)
    if fenced:
        text = fenced.group(1).strip()
    text = re.sub(r"^\s*(sqlquery|sql)\s*:\s*", "", text, flags=re.IGNORECASE)
    text = re.split(r"\n\s*sqlresult\s*:", text, flags=re.IGNORECASE)[0].strip()
    return text.rstrip("; \n") if re.match(r"(select|with|\()", text, re.IGNORECASE) else None
