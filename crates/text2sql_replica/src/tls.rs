//! Encryption of the connection: none, or with a certificate that is verified in full.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How the connection is protected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Encryption {
    /// No encryption: a Unix socket, or a network that is protected otherwise.
    None,
    /// TLS; the certificate must be for the name of the host, and an authority must have signed it: one of these
    /// (PEM), or one that the system trusts.
    Verified(Option<String>),
}

/// Makes the connections; of [`Encryption::None`] it is never asked for any.
pub(crate) fn connector(encryption: &Encryption) -> Result<MakeRustlsConnect, String> {
    let trusted = match encryption {
        Encryption::None => Vec::new(),
        Encryption::Verified(None) => rustls_native_certs::load_native_certs().certs,
        Encryption::Verified(Some(pem)) => CertificateDer::pem_slice_iter(pem.as_bytes())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| format!("sslrootcert: {error}"))?,
    };
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(trusted);
    if added == 0 && *encryption != Encryption::None {
        return Err("no certificate authority is trusted".to_owned());
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_certificate_is_an_error() {
        let nothing = Encryption::Verified(Some("no PEM".to_owned()));
        assert_eq!(
            connector(&nothing).err().as_deref(),
            Some("no certificate authority is trusted")
        );
        assert!(connector(&Encryption::None).is_ok());
    }
}
