//! What became of rows, who is meant and when things are new, over an invented school.

use super::*;

fn school() -> Vec<Arc<Table>> {
    let tables = tables(
        "
        61 pupils: pupil_id int pk, first_name text, last_name text, registered_on date, last_seen_on date, gpa num
        62 courses: course_id int pk, title text
        63 course_enrolments: enrolment_id int pk, pupil_id int > pupils, course_id int > courses
        64 exams: exam_id int pk, pupil_id int > pupils, result text [Pass|Fail], taken_on date
        65 teachers: teacher_id int pk, name text, salary num
        66 employees: employee_id int pk, name text, job text
        ",
    );
    tables.into_iter().map(Arc::new).collect()
}

#[test]
fn the_words_of_managers_are_read() {
    let tables = school();
    golden_text::check(&expect_file!["golden/school.txt"], |question| {
        answer(question, &tables)
    });
}
