//! Statements from a grammar over what the running server has, most of them type-correct.

use crate::catalog::Catalog;
use crate::database::{ANALYST, Database};
use crate::error::Fallible;
use crate::expression::Writer;
use crate::hostile::twist;
use crate::random::Random;
use crate::state;
use crate::trial::{Session, Tally};

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Statements altogether.
    pub statements: usize,
    /// The same seed makes the same statements on the same server.
    pub seed: u64,
    /// Whether the cluster has no other users, so that all of it can be compared.
    pub is_alone: bool,
}

/// Milliseconds that one statement may take.
const LIMIT_MS: u32 = 250;

/// Runs the plan: as an ordinary role and as a superuser at the same time.
pub fn run(plan: Plan, database_name: &str) -> Fallible<Tally> {
    let database = Database::with_everything(database_name)?;
    let mut admin = database.connect(None)?;
    let catalog = Catalog::read(&mut admin)?;
    let statements = write(&catalog, plan);
    let before = state::of_database(&mut admin, plan.is_alone)?;
    let (ordinary, privileged) = statements.split_at(statements.len() / 2);
    let (one, other) = std::thread::scope(|scope| {
        let halves = [(ordinary, Some(ANALYST)), (privileged, None)];
        let [one, other] = halves.map(|(half, user)| {
            let database = &database;
            scope.spawn(move || try_all(database, user, half).map_err(|error| error.to_string()))
        });
        (one.join(), other.join())
    });
    let mut tally = one.map_err(|_| "a thread panicked")??;
    tally.add(other.map_err(|_| "a thread panicked")??);
    let after = state::of_database(&mut admin, plan.is_alone)?;
    tally.compared += before.len();
    tally.findings.extend(before.differences(&after));
    Ok(tally)
}

fn try_all(database: &Database, user: Option<&str>, statements: &[String]) -> Fallible<Tally> {
    let mut session = Session::new(database, user, LIMIT_MS)?;
    for sql in statements {
        session.try_statement(sql)?;
    }
    session.finish()
}

/// Writes the statements. Each reviewed function and operator comes up in turn, so that all are reached;
/// one statement in six is hostile.
fn write(catalog: &Catalog, plan: Plan) -> Vec<String> {
    let mut writer = Writer::new(catalog, Random::new(plan.seed));
    let mut reviewed: Vec<usize> = Vec::new();
    let mut others: Vec<usize> = Vec::new();
    for (index, function) in catalog.functions.iter().enumerate() {
        if function.is_reviewed {
            reviewed.push(index);
        } else {
            others.push(index);
        }
    }
    let mut operators: Vec<usize> = (0..catalog.operators.len()).collect();
    writer.random.shuffle(&mut reviewed);
    writer.random.shuffle(&mut others);
    writer.random.shuffle(&mut operators);
    let mut reviewed = reviewed.iter().cycle();
    let mut others = others.iter().cycle();
    let mut operators = operators.iter().cycle();
    let mut statements = Vec::with_capacity(plan.statements);
    // A function without values for its arguments gives none; there are enough others.
    for _ in 0..plan.statements * 4 {
        if statements.len() >= plan.statements {
            break;
        }
        writer.names = 0;
        let statement = match writer.random.below(12) {
            0..7 => reviewed
                .next()
                .and_then(|index| catalog.functions.get(*index))
                .and_then(|function| writer.featuring(function)),
            7 | 8 => operators
                .next()
                .and_then(|index| catalog.operators.get(*index))
                .and_then(|operator| writer.featuring_operator(operator)),
            9 | 10 => writer.free(),
            _ => others
                .next()
                .and_then(|index| catalog.functions.get(*index))
                .and_then(|function| writer.featuring(function)),
        };
        let Some(statement) = statement else { continue };
        let is_hostile = writer.random.percent(9);
        statements.push(match is_hostile {
            true => twist(&statement, catalog, &mut writer.random),
            false => statement,
        });
    }
    // Both sessions get some of each.
    writer.random.shuffle(&mut statements);
    statements
}
