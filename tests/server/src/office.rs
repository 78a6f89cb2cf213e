//! Files of office programs, made by hand: small ones, and ones that unpack to more than anybody wants.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const XLSX: &[(&str, &str)] = &[
    (
        "[Content_Types].xml",
        r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#,
    ),
    (
        "_rels/.rels",
        r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
    ),
    (
        "xl/workbook.xml",
        r#"<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
    ),
    (
        "xl/_rels/workbook.xml.rels",
        r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#,
    ),
];

/// A part of an archive: its name, its content, and how many bytes of zeros follow.
type Part<'a> = (&'a str, &'a str, usize);

fn archive(parts: &[Part<'_>]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let zeros = vec![0; 1 << 20];
    for (name, content, padding) in parts {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .expect("a part");
        writer.write_all(content.as_bytes()).expect("a part");
        for _ in 0..padding / zeros.len() {
            writer.write_all(&zeros).expect("a part");
        }
    }
    writer.finish().expect("an archive").into_inner()
}

fn sheet(rows: &[&[&str]]) -> String {
    let cell = |text: &&str| format!(r#"<c t="inlineStr"><is><t>{text}</t></is></c>"#);
    let row = |cells: &&[&str]| -> String {
        format!("<row>{}</row>", cells.iter().map(cell).collect::<String>())
    };
    let rows: String = rows.iter().map(row).collect();
    format!(
        r#"<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#
    )
}

/// An Excel workbook with this many zero bytes in a part of their own.
pub fn xlsx(rows: &[&[&str]], padding: usize) -> Vec<u8> {
    let sheet = sheet(rows);
    let mut parts: Vec<Part<'_>> = XLSX.iter().map(|(name, text)| (*name, *text, 0)).collect();
    parts.push(("xl/worksheets/sheet1.xml", &sheet, 0));
    parts.push(("xl/media/image1.bmp", "", padding));
    archive(&parts)
}

/// A LibreOffice workbook with this many zero bytes in a part of their own.
pub fn ods(rows: &[&[&str]], padding: usize) -> Vec<u8> {
    let cell = |text: &&str| {
        format!(
            r#"<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>"#
        )
    };
    let row = |cells: &&[&str]| -> String {
        let cells: String = cells.iter().map(cell).collect();
        format!("<table:table-row>{cells}</table:table-row>")
    };
    let rows: String = rows.iter().map(row).collect();
    let content = format!(
        r#"<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="Data">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"#
    );
    let kind = "application/vnd.oasis.opendocument.spreadsheet";
    let manifest = format!(
        r#"<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>"#
    );
    archive(&[
        ("mimetype", kind, 0),
        ("content.xml", &content, 0),
        ("META-INF/manifest.xml", &manifest, 0),
        ("Pictures/image1.bmp", "", padding),
    ])
}

/// A document of Word: paragraphs with a style, which may be empty.
pub fn docx(paragraphs: &[(&str, &str)]) -> Vec<u8> {
    let paragraph = |(style, text): &(&str, &str)| {
        format!(
            r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>"#
        )
    };
    let body: String = paragraphs.iter().map(paragraph).collect();
    let xml = format!(
        r#"<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>"#
    );
    archive(&[("word/document.xml", &xml, 0)])
}

/// A document in PDF with one page, a line of text for each of `lines`.
pub fn pdf(lines: &[&str]) -> Vec<u8> {
    let shown: String = lines
        .iter()
        .map(|line| format!("({line}) Tj 0 -20 Td\n"))
        .collect();
    let content = format!("BT /F1 12 Tf 72 720 Td\n{shown}ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", number + 1));
    }
    let table = file.len();
    file.push_str(&format!(
        "xref\n0 {}\n0000000000 65535 f \n",
        objects.len() + 1
    ));
    for place in places {
        file.push_str(&format!("{place:010} 00000 n \n"));
    }
    file.push_str(&format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    ));
    file.into_bytes()
}
