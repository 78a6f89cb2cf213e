//! Who works where, what is counted in a column, which of two relations is meant, over an invented ferry line.

use super::*;

fn ferry() -> Vec<Arc<Table>> {
    let tables = tables(
        "
        71 ports: port_id int pk, name text [Korsvik|Lindnes], berth_count int, founded int
        72 routes: route_id int pk, name text [Northern Loop|Bay Shuttle], harbour_master int null > employees
        8 employees: employee_id int pk, first_name text, last_name text, hired_on date, salary num, port_id int > ports, spare_cabins int
        74 route_crew: employee_id int pk > employees, route_id int pk > routes
        75 sailings: sailing_id int pk, route_id int > routes, start ts, end ts, dogs int null, captain int null > employees
        76 bookings: booking_id int pk, passenger_id int > passengers, sailing_id int > sailings
        77 passengers: passenger_id int pk, first_name text [Mary|Olaf], last_name text, tot_mile int, age int
        78 crew_friends: friend_id int pk, last_name text [Smith]
        79 courses: course_id int pk, title text [First Aid]
        80 attendances: attendance_id int pk, passenger_id int > passengers, course_id int > courses
        81 registrations: registration_id int pk, passenger_id int > passengers, course_id int > courses
        82 vouchers: voucher_id int pk, label text, price_in_euros num, price_in_dollars num
        ",
    );
    tables.into_iter().map(Arc::new).collect()
}

#[test]
fn the_kinds_of_the_sixth_set_are_read() {
    let tables = ferry();
    golden_text::check(&expect_file!["golden/ferry.txt"], |question| {
        answer(question, &tables)
    });
}
