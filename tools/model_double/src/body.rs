//! Bodies that arrive in pieces, late, or not to the end.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

/// A body that somebody else feeds.
pub(crate) struct FedBody(mpsc::Receiver<Bytes>);

/// Either all at once or fed.
pub(crate) type ReplyBody = Either<Full<Bytes>, FedBody>;

/// Makes a body with all its bytes at hand.
pub(crate) fn whole(bytes: impl Into<Bytes>) -> ReplyBody {
    Either::Left(Full::new(bytes.into()))
}

/// Makes a body and the end that feeds it.
pub(crate) fn fed() -> (mpsc::Sender<Bytes>, ReplyBody) {
    let (feed, pieces) = mpsc::channel(1);
    (feed, Either::Right(FedBody(pieces)))
}

impl Body for FedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(context)
            .map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
    }
}
