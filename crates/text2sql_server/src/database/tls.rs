//! TLS to the database, with the meaning that libpq gives to `sslmode`.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{
    WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// What is demanded of the certificate of the database server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// Nothing: `prefer` and `require`.
    Nothing,
    /// A trusted authority must have signed it: `verify-ca`.
    Authority,
    /// It must be for the name of the host, too: `verify-full`.
    Host,
}

/// Certificates as their files have them.
#[derive(Debug, Default)]
pub struct Certificates {
    /// Authorities that are trusted, PEM. `None` stands for those of the system.
    pub roots: Option<String>,
    /// Certificate and key of the client, PEM.
    pub client: Option<(String, String)>,
}

/// Makes TLS connections to the database.
pub fn connector(demand: Demand, certificates: &Certificates) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(ring::default_provider());
    let mut verifier = Verifier {
        demand,
        roots: RootCertStore::empty(),
        trusted: Vec::new(),
        algorithms: provider.signature_verification_algorithms,
    };
    if demand != Demand::Nothing {
        verifier.trust(certificates.roots.as_deref())?;
    }
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match &certificates.client {
        None => builder.with_no_client_auth(),
        Some((chain, key)) => {
            let key = PrivateKeyDer::from_pem_slice(key.as_bytes())
                .map_err(|error| format!("sslkey: {error}"))?;
            builder
                .with_client_auth_cert(certificates_of(chain, "sslcert")?, key)
                .map_err(|error| format!("sslcert: {error}"))?
        }
    };
    // PostgreSQL 17 and later demand it for sslnegotiation=direct.
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

fn certificates_of(pem: &str, file: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    CertificateDer::pem_slice_iter(pem.as_bytes())
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| format!("{file}: {error}"))
}

#[derive(Debug)]
struct Verifier {
    demand: Demand,
    roots: RootCertStore,
    trusted: Vec<CertificateDer<'static>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    fn trust(&mut self, roots: Option<&str>) -> Result<(), String> {
        self.trusted = match roots {
            Some(pem) => certificates_of(pem, "sslrootcert")?,
            None => rustls_native_certs::load_native_certs().certs,
        };
        let (added, _) = self.roots.add_parsable_certificates(self.trusted.clone());
        if added == 0 {
            return Err("sslrootcert has no certificate".to_owned());
        }
        Ok(())
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.demand == Demand::Nothing {
            return Ok(ServerCertVerified::assertion());
        }
        let certificate = ParsedCertificate::try_from(end_entity)?;
        let signed = verify_server_cert_signed_by_trust_anchor(
            &certificate,
            &self.roots,
            intermediates,
            now,
            self.algorithms.all,
        );
        match signed {
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
                // A certificate that signed itself, as `openssl req -x509` makes it, is an authority, which may not
                // be a server's. libpq takes it where it is the trusted one itself.
                if self.trusted.contains(end_entity) => {}
            other => other?,
        }
        if self.demand == Demand::Host {
            verify_server_name(&certificate, server_name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
