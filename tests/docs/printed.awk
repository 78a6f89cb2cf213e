# Reads what psql printed (see statements.awk), then the page, and writes the page with what was printed in place of
# what it shows, where the two differ. Errors of ```sql blocks go to the file `errors`.
function literal(text, pattern) {
    pattern = text
    gsub(/[][\\.^$*+?(){}|]/, "\\\\&", pattern)
    gsub(/…/, ".*", pattern)
    return "^" pattern "$"
}
# Takes away the table that psql prints for a function that returns nothing.
function without_void(i, j) {
    for (i = 1; i + 3 <= printed_lines; i++) {
        if (printed[i] ~ /^ [a-z_0-9]+$/ && printed[i + 1] ~ /^-+$/ && printed[i + 2] == "" && printed[i + 3] == "(1 row)") {
            for (j = i; j + 4 <= printed_lines; j++) printed[j] = printed[j + 4]
            printed_lines -= 4
            i--
        }
    }
}
# Whether the lines of the page from `i` on are the printed ones from `j` on.
function matches(i, j, k) {
    while (i <= shown_lines) {
        if (shown[i] == "…") {
            for (k = j; k <= printed_lines + 1; k++) if (matches(i + 1, k)) return 1
            return 0
        }
        if (j > printed_lines) return 0
        if (shown[i] != printed[j] && !(shown[i] ~ /…/ && printed[j] ~ literal(shown[i]))) return 0
        i++
        j++
    }
    return j > printed_lines
}
function end_statement(i, last) {
    if (!statement) return
    last = shown_all
    shown_lines = shown_all
    while (shown_lines > 0 && shown[shown_lines] == "") shown_lines--
    printed_lines = split(output[statement], printed, "\n")
    for (i = 1; i <= printed_lines; i++) {
        sub(/ +$/, "", printed[i])
        # As wide as the widest value, which is no help to a reader.
        if (printed[i] ~ /^-\[ RECORD /) printed[i] = substr(printed[i], 1, 40)
    }
    while (printed_lines > 0 && printed[printed_lines] == "") printed_lines--
    without_void()
    while (printed_lines > 0 && printed[printed_lines] == "") printed_lines--
    if (matches(1, 1)) for (i = 1; i <= last; i++) print shown[i]
    else for (i = 1; i <= printed_lines; i++) print printed[i]
    statement = 0
}
FNR == NR {
    if (/^@@ /) { current = $2; next }
    output[current] = output[current] $0 "\n"
    next
}
/^<!-- (not run|file): .* -->$/ { skip = 1 }
/^```/ && !kind {
    kind = $0
    sub(/^```/, "", kind)
    if (kind == "") kind = "none"
    if (skip) kind = "skipped"
    skip = 0
    if (kind == "sql" && output[FNR] ~ /(^|\n)ERROR:|(^|\n)psql: error/) print FILENAME ":" FNR ": " output[FNR] > errors
    print
    next
}
/^```/ { if (kind == "console") end_statement(); kind = ""; print; next }
kind == "console" && /^demo=[*]?[>#] / { end_statement(); print; statement = FNR; shown_all = 0; next }
kind == "console" && /^demo[-'"($][*]?[>#]( |$)/ { print; next }
kind == "console" && statement { line = $0; sub(/ +$/, "", line); shown[++shown_all] = line; next }
{ print }
