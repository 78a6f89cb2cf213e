# Makes a script for psql of the examples of a page; examples.sh says which blocks. A line `@@ N` in what psql prints
# comes before what the statement of line N of the page prints.
function mark(line) { print "\\echo @@ " line }
function statement(text) {
    # What text2sql.show() gives is a text for people.
    if (text ~ /text2sql\.show\(/) { print "\\pset format unaligned"; print "\\t on"; framed = 0 }
    mark(FNR)
    print text
}
function frame() {
    if (!framed) { print "\\echo @@ frame"; print "\\pset format aligned"; print "\\t off"; framed = 1 }
}
BEGIN { framed = 1; print "\\pset pager off"; print "\\echo @@ frame" }
/^<!-- not run: .* -->$/ { skip = 1; next }
/^<!-- file: .* -->$/ { file = work "/" $3; next }
/^```/ && !kind {
    kind = $0
    sub(/^```/, "", kind)
    if (kind == "") kind = "none"
    if (file) kind = "file"
    else if (skip) kind = "skipped"
    skip = 0
    if (kind == "sql") mark(FNR)
    next
}
/^```/ {
    if (kind == "console") frame()
    if (kind == "sql") { frame(); print "\\echo @@ end" }
    kind = ""
    if (file) close(file)
    file = ""
    next
}
kind == "file" { print > file }
kind == "sql" { print }
kind == "console" && /^demo=[>#] / { frame(); statement(substr($0, 8)); next }
kind == "console" && /^demo[-'"("$*][>#] / { print substr($0, 8) }
