//! Connections of clients: how many there are, in all and from one address, and how long they may take to say what they
//! want. Whoever connects has not logged in yet, so nothing here depends on what is sent.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tower::ServiceExt;

/// How long the headers of a request may take, and how long a connection may stay without one.
const HEADERS: Duration = Duration::from_secs(15);

/// How long a client may leave what it was sent unread. Nothing is sent to one that only waits.
const UNREAD: Duration = Duration::from_secs(30);

/// Connections in all and from one address, where the process may open as many files.
const MOST: usize = 4_096;
const MOST_OF_ADDRESS: usize = 512;

/// Files that the process needs for anything else: the database, logs, the page.
const OTHER_FILES: usize = 64;

/// How long accepting pauses when the system has no file left.
const PAUSE: Duration = Duration::from_millis(500);

/// Counts the connections that are open.
pub(super) struct Clients {
    most: usize,
    most_of_address: usize,
    /// Proxies bring the connections of many people.
    exempt: Vec<IpAddr>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    all: usize,
    of_address: HashMap<IpAddr, usize>,
}

/// One open connection, until it is dropped.
struct Place {
    clients: Arc<Clients>,
    address: IpAddr,
}

impl Clients {
    /// As many as the limit of open files of this process allows.
    pub(super) fn of_process(proxies: &[IpAddr]) -> Arc<Self> {
        let files = getrlimit(Resource::Nofile).current;
        let files = files.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(MOST));
        Self::new(files, proxies)
    }

    fn new(files: usize, proxies: &[IpAddr]) -> Arc<Self> {
        let most = MOST.min(files.saturating_sub(OTHER_FILES)).max(8);
        Arc::new(Self {
            most,
            // Nobody takes more than half of the places.
            most_of_address: MOST_OF_ADDRESS.min(most / 2),
            exempt: proxies.to_vec(),
            open: Mutex::default(),
        })
    }

    fn take_place(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let address = address.to_canonical();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = open.of_address.get(&address).copied().unwrap_or(0);
        let is_over = of_address >= self.most_of_address && !self.exempt.contains(&address);
        if open.all >= self.most || is_over {
            return None;
        }
        open.all += 1;
        open.of_address.insert(address, of_address + 1);
        Some(Place {
            clients: Arc::clone(self),
            address,
        })
    }

    /// Serves every client that has a place, until the future is dropped.
    pub(super) async fn serve(
        self: Arc<Self>,
        listener: &TcpListener,
        router: &Router,
        ending: &GracefulShutdown,
    ) {
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    // The client may have gone; without a file left, others have to go first.
                    tracing::debug!("a connection was not accepted: {error}");
                    sleep(PAUSE).await;
                    continue;
                }
            };
            let Some(place) = self.take_place(peer.ip()) else {
                tracing::debug!("a connection was closed: too many are open");
                continue;
            };
            end_if_unread(&stream);
            let router = router.clone();
            let watcher = ending.watcher();
            tokio::spawn(async move {
                let _place = place;
                let service = router.map_request(move |mut request: Request<Incoming>| {
                    request.extensions_mut().insert(ConnectInfo(peer));
                    request
                });
                let connection = builder()
                    .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
                if let Err(error) = watcher.watch(connection).await {
                    tracing::debug!("connection of a client: {error}");
                }
            });
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self
            .clients
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        open.all -= 1;
        match open.of_address.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(open.of_address.remove(&self.address)),
        }
    }
}

/// The system ends a connection whose other side does not take what is sent to it: answers wait in memory meanwhile.
fn end_if_unread(stream: &TcpStream) {
    #[cfg(target_os = "linux")]
    {
        let milliseconds = u32::try_from(UNREAD.as_millis()).unwrap_or(u32::MAX);
        if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(stream, milliseconds) {
            tracing::debug!("connection of a client: {error}");
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (stream, UNREAD);
}

/// HTTP/1.1 only: without TLS no browser speaks HTTP/2, and proxies speak 1.1 to what is behind them.
fn builder() -> Builder {
    let mut builder = Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS);
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_limited_in_all_and_by_address() {
        let address = |last| IpAddr::from([192, 0, 2, last]);
        let proxy = address(200);
        let clients = Clients::new(OTHER_FILES + 10, &[proxy]);
        let mut places = Vec::new();
        let take = |places: &mut Vec<Place>, from| match clients.take_place(from) {
            Some(place) => {
                places.push(place);
                true
            }
            None => false,
        };
        // Half of ten, however often it tries.
        let taken = (0..20).filter(|_| take(&mut places, address(1))).count();
        assert_eq!(taken, 5);
        assert!(take(&mut places, address(2)));
        // A proxy takes what is left, and then nobody gets one.
        let taken = (0..20).filter(|_| take(&mut places, proxy)).count();
        assert_eq!(taken, 4);
        assert!(!take(&mut places, address(3)));
        // The first one is from the first address.
        drop(places.remove(0));
        assert!(take(&mut places, address(1)));
        places.clear();
        let open = clients.open.lock().unwrap();
        assert_eq!((open.all, open.of_address.len()), (0, 0));
    }
}
