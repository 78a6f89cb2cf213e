//! Verbs whose meaning is implied by joins.

use text2sql_domain::words;

/// Verbs that only express that two linked things belong together, or that a thing exists.
#[rustfmt::skip]
pub const LINKING_VERBS: &[&str] = words!(
    "located, live, lives, living, based, situated, exist, exists, existing, belong, belongs, \
     belonging, contain, contains, containing, include, includes, including, included, contained, \
     associated, related, stored, recorded, listed, found, come, comes, coming, work, works, \
     working, own, owns, possess, possesses, possessed, appear, appears, use, used, uses, using, \
     reside, resides, residing, offer, offers, offered, provide, provided, provides, called, \
     named, made, correspond, corresponds, corresponding, help, helps, helped, helping, affect, \
     affects, affected, affecting, release, releases, released, releasing, produce, produces, \
     produced, producing, create, creates, created, creating, publish, publishes, published, \
     publishing, perform, performs, performed, performing, teach, teaches, taught, teaching, \
     advise, advises, advised, advising, treat, treats, treated, treating, attend, attends, \
     attended, attending, register, registers, registered, registering, enrol, enrols, enrolled, \
     enrolling, enroll, enrolls, participate, participates, participated, participating, play, \
     plays, played, playing, join, joins, joined, joining, visit, visits, visited, visiting, \
     study, studies, studied, studying, stay, stays, stayed, staying, serve, serves, served, \
     serving, host, hosts, hosted, hosting, organise, organises, organised, organising, organize, \
     organizes, organized, organizing, receive, receives, received, receiving, assign, assigns, \
     assigned, assigning, book, books, booked, booking, reserve, reserves, reserved, reserving, \
     rent, rents, rented, renting, borrow, borrows, borrowed, borrowing, order, orders, ordered, \
     ordering, supply, supplies, supplied, supplying, support, supports, supported, supporting, \
     represent, represents, represented, representing, involve, involves, involved, involving, \
     affiliate, affiliates, affiliated, affiliating, employ, employs, employed, employing, lived, \
     write, writes, wrote, written, writing, record, records, recording, sing, sings, sang, sung, \
     singing, owned, owning, carry, carries, carried, carrying, cover, covers, covered, covering, \
     share, shares, shared, sharing, hold, holds, held, holding, inhabit, inhabits, inhabited, \
     inhabiting, feature, features, featured, featuring, appeared, appearing, issue, issues, \
     issued, issuing, attach, attaches, attached, attaching, occupy, occupys, occupyed, occupying"
);

/// Verbs of an event that is itself a row: "orders placed", "quantity sold".
#[rustfmt::skip]
pub const EVENT_VERBS: &[&str] = words!(
    "placed, place, sold, sell, bought, buy, purchased, purchase, made, make, created, issued, \
     taken, took, take, done, held, happened, occurred, registered, submitted, places, sells, \
     buys, purchases, makes, create, creates, issue, issues, takes, hold, holds, happen, happens, \
     occur, occurs, register, registers, submit, submits, pay, pays, paid, came, complete, \
     completes, completed, receive, receives, received, process, processes, processed"
);

/// Verbs that only express that a row exists: the question means the same without them.
#[rustfmt::skip]
pub const EXISTENCE_VERBS: &[&str] = &[
    "exist", "exists", "existing", "placed", "place", "places", "made", "make", "makes", "created",
    "happened", "happen", "happens", "occurred", "occur", "occurs", "stored", "record", "records",
    "recorded", "listed", "found", "contained", "included", "offer", "offers", "offered", "took", "taken", "take", "takes",
];

/// Verbs of location, implied by a column of the row: "the cities where students live".
#[rustfmt::skip]
pub const LOCATING_VERBS: &[&str] = &[
    "live", "lives", "lived", "living", "reside", "resides", "residing", "located", "based",
    "situated", "come", "comes",
];

/// A verb without its ending: "advis" for "advises", "advised" and "advising".
pub fn verb_root(lower: &str) -> String {
    let irregular = match lower {
        "taught" => "teach",
        "bought" => "buy",
        "sold" => "sell",
        "paid" => "pay",
        "sent" => "send",
        "took" | "taken" => "take",
        "wrote" | "written" => "write",
        "flew" | "flown" => "fly",
        "drove" | "driven" => "drive",
        "sang" | "sung" => "sing",
        "won" => "win",
        "lent" => "lend",
        _ => lower,
    };
    for end in ["ing", "ied", "ies", "ed", "es", "e", "s"] {
        if let Some(root) = irregular.strip_suffix(end)
            && root.len() >= 4
        {
            return undoubled(root).to_owned();
        }
    }
    if let Some(root) = irregular.strip_suffix("ed").filter(|root| root.len() == 3) {
        return format!("{root}e");
    }
    irregular.to_owned()
}

/// "ship" for "shipp", which "shipped" leaves.
fn undoubled(root: &str) -> &str {
    let doubled = ["bb", "dd", "gg", "mm", "nn", "pp", "rr", "tt"]
        .iter()
        .any(|end| root.ends_with(end));
    if doubled {
        root.get(..root.len() - 1).unwrap_or(root)
    } else {
        root
    }
}
