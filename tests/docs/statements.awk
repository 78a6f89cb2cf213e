# Makes a script for psql of the examples of a page; examples.sh says which blocks. A line `@@ N` in what psql prints
# comes before what the statement of line N of the page prints.
function mark(line) { print "\\echo @@ " line }
function statement(text) {
    # What these give is text for people, and wide.
    if (text ~ /text2sql\.(show|explain|explain_plan|to_sql|preview_prompt|export_knowledge)\(/ && text !~ /\\gexec/) { print "\\echo @@ frame"; print "\\pset format unaligned"; print "\\t on"; framed = 0 }
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
# Prompts: demo=> demo=# and, in a transaction, demo=*>; of a line that goes on demo-> demo$> demo'> demo(>.
kind == "console" && /^demo=[*]?[>#] / { sub(/^demo=[*]?[>#] /, ""); frame(); statement($0); next }
kind == "console" && /^demo[-'"($][*]?[>#]( |$)/ { sub(/^demo[-'"($][*]?[>#] ?/, ""); print }
