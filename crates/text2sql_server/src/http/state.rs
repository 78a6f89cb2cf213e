//! What all requests share.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::watch;
use zeroize::Zeroizing;

use super::loaded_tables::LoadedTables;
use crate::config::{Config, Jwt};
use crate::database::{Database, Target, not_permitted};
use crate::identity::sessions::Sessions;
use crate::identity::tokens::{TokenFault, Tokens};
use crate::identity::{Credentials, Identity};
use crate::limits::{Attempts, Running};
use crate::login::Login;
use crate::problem::Problem;
use crate::questions::{Kept, Questions};

/// What all requests share.
pub struct App {
    /// The effective configuration.
    pub config: Config,
    /// What the configuration calls the database, where there are several.
    pub name: Option<String>,
    /// The database.
    pub database: Arc<Database>,
    /// Runs questions.
    pub questions: Questions,
    /// Whose turn it is to send a file.
    pub files: Arc<Running>,
    /// Tables that can be taken back.
    pub loaded: LoadedTables,
    /// Questions that outlive their connection for a moment.
    pub kept: Kept,
    /// Verifies names and passwords.
    pub login: Login,
    /// Sessions of people who have logged in.
    pub sessions: Sessions,
    tokens: Option<Tokens>,
    is_ending: Arc<watch::Sender<bool>>,
}

/// What the databases of a server share, so that more of them are not more tries or more load.
struct Shared {
    running: Arc<Running>,
    files: Arc<Running>,
    attempts: Arc<Attempts>,
    is_ending: Arc<watch::Sender<bool>>,
}

impl Shared {
    fn of(config: &Config) -> Self {
        Self {
            running: Arc::new(Running::new(&config.limits)),
            files: Arc::new(Running::of_files()),
            attempts: Arc::new(Attempts::new(config.limits.login_attempts)),
            is_ending: Arc::new(watch::Sender::new(false)),
        }
    }
}

impl App {
    /// One for each database of the configuration, with nobody logged in.
    pub fn all(config: &Config) -> Result<Vec<Arc<Self>>, Problem> {
        let shared = Shared::of(config);
        if config.databases.is_empty() {
            return Ok(vec![Self::of(config.clone(), None, &shared)?]);
        }
        let apps = config.databases.iter().map(|(name, database)| {
            let config = Config {
                database: database.clone(),
                ..config.clone()
            };
            Self::of(config, Some(name.clone()), &shared)
        });
        apps.collect()
    }

    /// The only database, or the first, with nobody logged in.
    pub fn new(config: Config) -> Result<Arc<Self>, Problem> {
        let shared = Shared::of(&config);
        Self::of(config, None, &shared)
    }

    fn of(config: Config, name: Option<String>, shared: &Shared) -> Result<Arc<Self>, Problem> {
        let wrong = |problem: String| match &name {
            Some(name) => Problem::bad_request(format!("database {name}: {problem}")),
            None => Problem::bad_request(problem),
        };
        let target = Target::of_process(&config.database)
            .map_err(|problem| wrong(format!("database: {problem}")))?;
        let login = match &config.jwt {
            Some(jwt) => Some(login_role(&target, jwt).map_err(wrong)?),
            None => None,
        };
        let tokens = match &config.jwt {
            Some(jwt) => Some(Tokens::new(jwt.clone()).map_err(wrong)?),
            None => None,
        };
        let database = Database::new(target, &config.limits, login);
        let (running, listener) = (Arc::clone(&shared.running), shared.is_ending.subscribe());
        Ok(Arc::new(Self {
            questions: Questions::new(Arc::clone(&database), running, listener),
            files: Arc::clone(&shared.files),
            loaded: LoadedTables::default(),
            kept: Kept::default(),
            login: Login::new(Arc::clone(&database), Arc::clone(&shared.attempts)),
            sessions: Sessions::new(config.limits.session_idle(), config.limits.session_life()),
            database,
            tokens,
            is_ending: Arc::clone(&shared.is_ending),
            name,
            config,
        }))
    }

    /// The identity with which this process itself connects to PostgreSQL, found as psql would find it.
    pub fn own_identity(&self) -> Result<Identity, Problem> {
        let target = Target::of_process(&self.config.database).map_err(Problem::bad_request)?;
        let credentials = target.own_credentials(None).map_err(Problem::bad_request)?;
        Ok(Identity::Own(Arc::new(credentials)))
    }

    /// The identity that a token stands for.
    pub fn verify_token(&self, token: &str) -> Result<Identity, Problem> {
        let tokens = self.tokens.as_ref().ok_or_else(Problem::not_logged_in)?;
        tokens.verify(token).map_err(|fault| {
            tracing::info!("a token is refused: {fault}");
            match fault {
                TokenFault::Invalid(_) => Problem::not_logged_in(),
                TokenFault::NoRole(_) => not_permitted(),
            }
        })
    }

    /// Ends a session, and closes its connections.
    pub fn log_out(&self, session: &str) {
        if let Some(identity) = self.sessions.end(session) {
            if let Identity::Own(credentials) = &identity {
                self.login.forget(credentials);
            }
            self.database.forget(&identity);
        }
    }

    /// Ends all streams of all databases, and the server when they have ended.
    pub fn end(&self) {
        self.is_ending.send_replace(true);
    }

    /// Returns when the server is about to end.
    pub fn ending(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut is_ending = self.is_ending.subscribe();
        async move {
            // An error says that nobody can ask any more.
            drop(is_ending.wait_for(|is_ending| *is_ending).await);
        }
    }
}

/// Name and password of the role that takes on those of tokens.
fn login_role(target: &Target, jwt: &Jwt) -> Result<Credentials, String> {
    let Some(file) = &jwt.password_file else {
        return target.own_credentials(Some(&jwt.login_role));
    };
    let text = std::fs::read_to_string(file)
        .map(Zeroizing::new)
        .map_err(|error| format!("jwt.password_file: {}: {error}", file.display()))?;
    let password = text.trim_end_matches(['\n', '\r']).to_owned();
    Ok(Credentials::new(jwt.login_role.clone(), password))
}
