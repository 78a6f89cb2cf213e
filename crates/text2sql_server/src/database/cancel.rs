//! Cancel requests.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::CancelToken;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Where a connection goes: a cancel request goes there, too.
#[derive(Clone)]
pub struct Peer {
    pub(super) address: Address,
    pub(super) connector: MakeRustlsConnect,
    pub(super) name: String,
}

/// An address that was reached.
#[derive(Clone)]
pub(super) enum Address {
    /// Over TCP.
    Tcp(SocketAddr),
    /// A Unix socket.
    Socket(PathBuf),
}

impl Peer {
    /// Asks the server to cancel what runs on the connection of `token`, and returns when the server has closed the
    /// connection that asked. From then on no later statement of that connection can be hit.
    pub async fn cancel(&self, token: &CancelToken) -> io::Result<()> {
        match &self.address {
            Address::Tcp(address) => {
                let stream = TcpStream::connect(address).await?.into_std()?;
                let mut ours = TcpStream::from_std(stream.try_clone()?)?;
                self.request(token, TcpStream::from_std(stream)?).await?;
                read_to_end(&mut ours).await
            }
            Address::Socket(path) => {
                let stream = UnixStream::connect(path).await?.into_std()?;
                let mut ours = UnixStream::from_std(stream.try_clone()?)?;
                self.request(token, UnixStream::from_std(stream)?).await?;
                read_to_end(&mut ours).await
            }
        }
    }

    async fn request<S>(&self, token: &CancelToken, stream: S) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut connector = self.connector.clone();
        let tls =
            <MakeRustlsConnect as MakeTlsConnect<S>>::make_tls_connect(&mut connector, &self.name)
                .map_err(io::Error::other)?;
        token
            .cancel_query_raw(stream, tls)
            .await
            .map_err(io::Error::other)
    }
}

async fn read_to_end(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<()> {
    match tokio::io::copy(stream, &mut tokio::io::sink()).await {
        // The server closes without reading all that TLS has to say: a reset is an end, too.
        Err(error) if error.kind() != io::ErrorKind::ConnectionReset => Err(error),
        _ => Ok(()),
    }
}
