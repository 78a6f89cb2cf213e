//! Settings of how a question is read before anybody writes SQL for it, and of what is remembered.

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting, PostgresGucEnum};
use serde_json::Value;
use text2sql_core::config::{ReadingConfig, WhenAmbiguous};

/// Whether periods and words of the house are worked out. On: it costs no call, and a model that
/// counts days from today errs.
static REWRITE: GucSetting<bool> = GucSetting::<bool>::new(true);

/// Whether names and values may decide that a model need not be asked. On: an answer that costs
/// nothing, and no guess.
static ROUTE: GucSetting<bool> = GucSetting::<bool>::new(true);

/// What becomes of a question with several readings. `ask`: a guess is no fact.
static AMBIGUITY: GucSetting<AmbiguitySetting> =
    GucSetting::<AmbiguitySetting>::new(AmbiguitySetting::Ask);

/// Earlier turns that a question of a conversation gets to see. Six: people go back two or three, and
/// each costs a check of its SQL.
static CONVERSATION_TURNS: GucSetting<i32> = GucSetting::<i32>::new(6);

/// The values of `text2sql.ambiguity`.
#[derive(Clone, Copy, PostgresGucEnum)]
enum AmbiguitySetting {
    #[name = c"ask"]
    Ask,
    #[name = c"choose"]
    Choose,
}

/// What one call may override.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct ReadingOverrides {
    rewrite: Option<bool>,
    route: Option<bool>,
    ambiguity: Option<WhenAmbiguous>,
}

impl ReadingOverrides {
    /// Takes an option of a call: whether it is one of these, or what it must be.
    pub(crate) fn take(&mut self, name: &str, value: &Value) -> Result<bool, String> {
        let switch = || {
            let switch = value.as_bool();
            switch.ok_or_else(|| format!("option \"{name}\" is not true or false"))
        };
        match name {
            "rewrite" => self.rewrite = Some(switch()?),
            "route" => self.route = Some(switch()?),
            "ambiguity" => {
                self.ambiguity = Some(match value.as_str() {
                    Some("ask") => WhenAmbiguous::Ask,
                    Some("choose") => WhenAmbiguous::Choose,
                    _ => return Err(format!("option \"{name}\" is not \"ask\" or \"choose\"")),
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// How a question is read.
pub(super) fn config(overrides: &ReadingOverrides) -> ReadingConfig {
    ReadingConfig {
        rewrite: overrides.rewrite.unwrap_or(REWRITE.get()),
        route: overrides.route.unwrap_or(ROUTE.get()),
        ambiguity: overrides.ambiguity.unwrap_or(match AMBIGUITY.get() {
            AmbiguitySetting::Ask => WhenAmbiguous::Ask,
            AmbiguitySetting::Choose => WhenAmbiguous::Choose,
        }),
    }
}

/// Earlier turns that a question of a conversation gets to see.
pub(crate) fn conversation_turns() -> i32 {
    CONVERSATION_TURNS.get()
}

/// Defines these settings.
pub(super) fn define() {
    let none = GucFlags::default();
    let switches: [(&_, &_, &_, &GucSetting<bool>); 2] = [
        (
            c"text2sql.rewrite",
            c"Whether periods and words of the house are worked out before a query is written.",
            c"The answer says how they were read: 'last month' is 2026-10-01 up to but without 2026-11-01.",
            &REWRITE,
        ),
        (
            c"text2sql.route",
            c"Whether names and values may decide that a model need not be asked.",
            c"A question with several readings, or one that is none about data, then costs no call.",
            &ROUTE,
        ),
    ];
    for (name, short, long, setting) in switches {
        GucRegistry::define_bool_guc(name, short, long, setting, GucContext::Userset, none);
    }
    GucRegistry::define_enum_guc(
        c"text2sql.ambiguity",
        c"What becomes of a question with several readings.",
        c"'ask': the readings come back. 'choose': the likeliest is answered, and the answer says so.",
        &AMBIGUITY,
        GucContext::Userset,
        none,
    );
    GucRegistry::define_int_guc(
        c"text2sql.conversation_turns",
        c"Earlier questions that a question of a conversation gets to see.",
        c"0 to 50; 0 remembers what is asked and looks at none of it.",
        &CONVERSATION_TURNS,
        0,
        50,
        GucContext::Userset,
        none,
    );
}
