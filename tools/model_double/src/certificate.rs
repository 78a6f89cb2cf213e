//! Certificates for TLS tests: an authority made on the spot and a server it vouches for.

use std::io;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// Makes a TLS acceptor for `localhost`, 127.0.0.1 and ::1 that speaks HTTP/2 and HTTP/1.1, and
/// the PEM text of the authority to trust.
pub(crate) fn make() -> io::Result<(TlsAcceptor, String)> {
    let authority_key = KeyPair::generate().map_err(io::Error::other)?;
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let ca_pem = authority
        .self_signed(&authority_key)
        .map_err(io::Error::other)?
        .pem();
    let issuer = Issuer::new(authority, authority_key);

    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let key = KeyPair::generate().map_err(io::Error::other)?;
    let certificate = CertificateParams::new(names)
        .and_then(|server| server.signed_by(&key, &issuer))
        .map_err(io::Error::other)?;

    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::Pkcs8(key.serialize_der().into()),
        )
        .map_err(io::Error::other)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok((TlsAcceptor::from(Arc::new(config)), ca_pem))
}
