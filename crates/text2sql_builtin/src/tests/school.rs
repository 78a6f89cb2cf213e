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

#[test]
fn a_score_is_of_its_subject() {
    let tables = tables(
        "
        71 students: student_id int pk, name text, class text [3a|3b]
        72 subjects: subject_id int pk, name text [Math|Physics]
        73 marks: mark_id int pk, student_id int > students, subject_id int > subjects, score int
        ",
    );
    let tables: Vec<Arc<Table>> = tables.into_iter().map(Arc::new).collect();
    for question in [
        "Show me the students who scored above 90 in math",
        "students with math score above 90",
        "Which students of class 3a have a score over 90 in Math?",
    ] {
        let sql = answer(question, &tables).replace('\n', " ");
        assert!(
            sql.contains("m.score > 90") && sql.contains("name = 'Math'"),
            "{question}: {sql}"
        );
        assert_eq!(sql.matches("EXISTS").count(), 1, "{question}: {sql}");
    }
}
