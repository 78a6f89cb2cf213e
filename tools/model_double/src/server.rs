//! The listener, its thread and its connections.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use serde_json::{Value, json};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};
use tokio_rustls::TlsAcceptor;

use crate::body::{ReplyBody, fed, whole};
use crate::certificate;
use crate::plan::{Asked, Delivery, Plan, plan};
use crate::record::{Record, RecordedRequest};
use crate::script::Script;

/// Between two bytes of a dripping body.
const DRIP: Duration = Duration::from_millis(100);
/// From the reply to the closing of a connection that was promised to stay: long enough for the
/// client to have put it into its pool.
const IDLE: Duration = Duration::from_millis(50);
/// From half a body to its end: long enough for the client to have read the head.
const HALF: Duration = Duration::from_millis(20);

/// How to start a double.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The port on 127.0.0.1; 0 for a free one.
    pub port: u16,
    /// Speak TLS, with a certificate made for the occasion.
    pub tls: bool,
}

/// A running endpoint; it stops when dropped.
#[derive(Debug)]
pub struct ModelDouble {
    address: SocketAddr,
    ca_pem: Option<String>,
    record: Arc<Record>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct State {
    script: Script,
    record: Arc<Record>,
}

/// How a request ends its connection.
#[derive(Default)]
struct Kill {
    now: Notify,
    reset: AtomicBool,
}

impl ModelDouble {
    /// Starts a double on a free port of 127.0.0.1.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_with(script, Options::default())
    }

    /// Starts a double with TLS; see [`ModelDouble::ca_pem`].
    pub fn start_tls(script: Script) -> io::Result<Self> {
        Self::start_with(script, Options { tls: true, port: 0 })
    }

    /// Starts a double.
    pub fn start_with(script: Script, options: Options) -> io::Result<Self> {
        let (acceptor, ca_pem) = match options.tls {
            true => certificate::make().map(|(a, pem)| (Some(a), Some(pem)))?,
            false => (None, None),
        };
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let record = Arc::new(Record::default());
        let state = Arc::new(State {
            script,
            record: Arc::clone(&record),
        });
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name("model-double".to_owned())
            .spawn(move || {
                runtime.block_on(async move {
                    let Ok(listener) = TcpListener::from_std(listener) else {
                        return;
                    };
                    tokio::select! {
                        () = accept(listener, acceptor, state) => {}
                        _ = stopped => {}
                    }
                });
            })?;
        Ok(Self {
            address,
            ca_pem,
            record,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// The base URL for a behaviour: `http://127.0.0.1:<port>/<behaviour>/v1`.
    pub fn base_url(&self, behaviour: &str) -> String {
        format!("{}/{behaviour}/v1", self.url())
    }

    /// `http://127.0.0.1:<port>`, or `https` with TLS.
    pub fn url(&self) -> String {
        let scheme = match self.ca_pem {
            Some(_) => "https",
            None => "http",
        };
        format!("{scheme}://{}", self.address)
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// PEM text of the certificate authority to trust, if it uses TLS.
    pub fn ca_pem(&self) -> Option<&str> {
        self.ca_pem.as_deref()
    }

    /// The requests so far, at most the last thousand.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.record.requests()
    }

    /// How many connections were accepted since the start.
    pub fn accepted_connections(&self) -> usize {
        self.record.accepted()
    }

    /// How many connections are open now.
    pub fn open_connections(&self) -> usize {
        self.record.open()
    }

    /// Forgets the requests and starts every counting behaviour anew.
    pub fn reset(&self) {
        self.record.reset();
    }

    /// Serves until the process ends.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for ModelDouble {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept(listener: TcpListener, acceptor: Option<TlsAcceptor>, state: Arc<State>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        tokio::spawn(connection(stream, acceptor.clone(), Arc::clone(&state)));
    }
}

/// Counts a connection while it lives.
struct Counted(Arc<Record>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.connection_closed();
    }
}

async fn connection(stream: TcpStream, acceptor: Option<TlsAcceptor>, state: Arc<State>) {
    let number = state.record.connection_opened();
    let _counted = Counted(Arc::clone(&state.record));
    let _ = stream.set_nodelay(true);
    // The stream disappears into the protocol; this second descriptor still reaches its options.
    let Ok(socket) = stream.as_fd().try_clone_to_owned() else {
        return;
    };
    let kill = Arc::new(Kill::default());
    match acceptor {
        None => serve(stream, &kill, &state, number).await,
        Some(acceptor) => {
            if let Ok(stream) = acceptor.accept(stream).await {
                serve(stream, &kill, &state, number).await;
            }
        }
    }
    // Only the last closing counts, and that is the one of `socket`.
    if kill.reset.load(Ordering::Relaxed) {
        let _ = SockRef::from(&socket).set_linger(Some(Duration::ZERO));
    }
}

async fn serve<S>(stream: S, kill: &Arc<Kill>, state: &Arc<State>, number: usize)
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let service = service_fn(|request| {
        let kill = Arc::clone(kill);
        let state = Arc::clone(state);
        async move { Ok::<_, Infallible>(respond(request, &state, &kill, number).await) }
    });
    let builder = auto::Builder::new(TokioExecutor::new());
    let serving = builder.serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        _ = serving => {}
        () = kill.now.notified() => {}
    }
}

async fn respond(
    request: Request<Incoming>,
    state: &State,
    kill: &Arc<Kill>,
    number: usize,
) -> Response<ReplyBody> {
    let (head, body) = request.into_parts();
    let body = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => Bytes::new(),
    };
    match head.uri.path() {
        "/_requests" => return render(&Plan::json(200, &json!(state.record.requests())), kill),
        "/_reset" => {
            state.record.reset();
            return render(&Plan::json(200, &json!({ "reset": true })), kill);
        }
        _ => {}
    }
    let recorded = RecordedRequest {
        method: head.method.to_string(),
        path: head
            .uri
            .path_and_query()
            .map_or_else(String::new, ToString::to_string),
        version: format!("{:?}", head.version),
        headers: head
            .headers
            .iter()
            .map(|(name, value)| {
                (
                    name.to_string(),
                    String::from_utf8_lossy(value.as_bytes()).into_owned(),
                )
            })
            .collect(),
        body: serde_json::from_slice(&body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&body).into_owned())),
        connection: number,
    };
    let planned = plan(
        &state.script,
        &state.record,
        &Asked {
            is_post: head.method == Method::POST,
            path: head.uri.path(),
            body: &recorded.body,
            authorization: ["authorization", "x-api-key", "api-key"]
                .iter()
                .find_map(|name| recorded.headers.get(*name))
                .map(String::as_str),
        },
    );
    state.record.add(recorded);
    if !planned.delay.is_zero() {
        tokio::time::sleep(planned.delay).await;
    }
    if planned.delivery == Delivery::HangUp {
        kill.now.notify_one();
        std::future::pending::<()>().await;
    }
    render(&planned, kill)
}

fn render(plan: &Plan, kill: &Arc<Kill>) -> Response<ReplyBody> {
    let body = plan.body.clone();
    let reply_body = match plan.delivery {
        Delivery::Whole | Delivery::HangUp => whole(body),
        Delivery::CloseAfter => {
            let kill = Arc::clone(kill);
            tokio::spawn(async move {
                tokio::time::sleep(IDLE).await;
                kill.now.notify_one();
            });
            whole(body)
        }
        Delivery::Drip => feed(body, 1, DRIP),
        Delivery::Pieces => feed(body, 64 * 1024, Duration::ZERO),
        Delivery::Half { reset } => {
            let kill = Arc::clone(kill);
            let (pieces, reply_body) = fed();
            tokio::spawn(async move {
                let _ = pieces.send(body.slice(..body.len() / 2)).await;
                tokio::time::sleep(HALF).await;
                kill.reset.store(reset, Ordering::Relaxed);
                kill.now.notify_one();
                // The body must not end properly before the connection is gone.
                tokio::time::sleep(HALF).await;
                drop(pieces);
            });
            reply_body
        }
    };
    let mut response = Response::builder().status(plan.status);
    for (name, value) in &plan.headers {
        response = response.header(*name, value);
    }
    response
        .body(reply_body)
        .unwrap_or_else(|_| Response::new(whole(Bytes::new())))
}

fn feed(mut body: Bytes, piece: usize, pause: Duration) -> ReplyBody {
    let (pieces, reply_body) = fed();
    tokio::spawn(async move {
        while !body.is_empty() {
            let next = body.split_to(piece.min(body.len()));
            if pieces.send(next).await.is_err() {
                return;
            }
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
        }
    });
    reply_body
}
