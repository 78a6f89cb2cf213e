//! Files that are made here, and their text.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{Kind, docx, html, workbook};

/// The most that a file of these tests may unpack to.
const MOST: u64 = 4 << 20;

fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn workbook_of(sheet: &str) -> Vec<u8> {
    let sheet = format!(
        r#"<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{sheet}</sheetData></worksheet>"#
    );
    archive(&[
        ("_rels/.rels", br#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#),
        ("[Content_Types].xml", br#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#),
        ("xl/workbook.xml", br#"<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>"#),
        ("xl/_rels/workbook.xml.rels", br#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#),
        ("xl/styles.xml", br#"<?xml version="1.0"?><styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ])
}

fn csv(sheet: &str) -> Result<String, String> {
    let mut output = Vec::new();
    workbook::xlsx(&workbook_of(sheet), MOST, None, &mut output)?;
    Ok(String::from_utf8(output).unwrap())
}

fn text_cell(place: &str, text: &str) -> String {
    format!(r#"<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>"#)
}

#[test]
fn a_sheet_becomes_csv() {
    let sheet = format!(
        r#"<row r="2">{}{}{}</row><row r="3"><c r="B3" s="1"><v>45322</v></c><c r="C3"><f>1+1</f><v>2</v></c><c r="D3" t="b"><v>1</v></c></row>"#,
        text_cell("B2", "Day"),
        text_cell("C2", "Sum, all"),
        text_cell("D2", "ok")
    );
    assert_eq!(
        csv(&sheet).unwrap(),
        "Day,\"Sum, all\",ok\n2024-01-31,2,true\n"
    );
}

#[test]
fn a_cell_in_the_last_corner_needs_no_rectangle() {
    let sheet = format!(
        r#"<row r="1">{}</row><row r="1048576">{}</row>"#,
        text_cell("A1", "a"),
        text_cell("XFD1048576", "z")
    );
    assert_eq!(
        csv(&sheet).unwrap_err(),
        "row 1048576 has more than 1600 columns"
    );
}

#[test]
fn an_archive_that_unpacks_to_gigabytes_is_refused() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer
        .start_file("xl/worksheets/sheet1.xml", SimpleFileOptions::default())
        .unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..6 {
        writer.write_all(&zeros).unwrap();
    }
    let bomb = writer.finish().unwrap().into_inner();
    assert!(bomb.len() < 1 << 20);
    let error = workbook::xlsx(&bomb, MOST, None, &mut Vec::new()).unwrap_err();
    assert_eq!(error, "the file unpacks to more than 4 MB");
}

#[test]
fn what_is_no_workbook_is_said() {
    let error = workbook::xlsx(b"PK no", MOST, None, &mut Vec::new()).unwrap_err();
    assert!(error.starts_with("the file is no archive"), "{error}");
    assert!(csv("").unwrap_err().contains("no cells"));
}

#[test]
fn a_word_document_becomes_text() {
    let xml = br#"<?xml version="1.0"?><w:document xmlns:w="x"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Returns</w:t></w:r></w:p><w:p><w:r><w:t xml:space="preserve">Within </w:t></w:r><w:r><w:t>30 days &amp; free.</w:t></w:r></w:p></w:body></w:document>"#;
    let mut output = Vec::new();
    docx::text(&archive(&[("word/document.xml", xml)]), MOST, &mut output).unwrap();
    assert_eq!(
        String::from_utf8(output).unwrap(),
        "# Returns\n\nWithin 30 days & free.\n\n"
    );
}

#[test]
fn entities_of_a_document_do_not_expand() {
    let xml = br#"<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document><w:p><w:t>x&b;y</w:t></w:p></w:document>"#;
    let mut output = Vec::new();
    docx::text(&archive(&[("word/document.xml", xml)]), MOST, &mut output).unwrap();
    assert_eq!(String::from_utf8(output).unwrap(), "x&b;y\n\n");
}

#[test]
fn a_page_becomes_text() {
    let mut output = Vec::new();
    let page =
        b"<meta charset=iso-8859-1><h1>Gr\xf6\xdfen</h1><p>Eins</p><script>alert(1)</script>";
    html::text(page, &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(
        text.starts_with("# Größen") && text.contains("Eins") && !text.contains("alert"),
        "{text}"
    );
}

#[test]
fn kinds_by_name() {
    assert_eq!(Kind::of_name("a.B.XLSX"), Some(Kind::Xlsx));
    assert_eq!(Kind::of_name("notes.md"), Some(Kind::Markdown));
    assert_eq!(Kind::of_name("program.exe"), None);
    assert_eq!(Kind::of_name("csv"), None);
}
