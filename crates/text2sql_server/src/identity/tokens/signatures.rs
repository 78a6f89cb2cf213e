//! Verifies the signatures of tokens with `ring`, which TLS needs anyway: the implementations that `jsonwebtoken` can
//! bring with it are half a megabyte. Nothing here signs.

#[cfg(test)]
mod tests;

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    VerificationAlgorithm,
};
use ring::{hmac, signature};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: no_signer,
    verifier_factory: verifier,
    // These make key sets of keys, and thumbprints; tokens are verified without.
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes `jsonwebtoken` verify signatures with this module.
pub(super) fn install() {
    // The second time it says that there is one already.
    let _ = PROVIDER.install_default();
}

fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(Signature {
        algorithm: *algorithm,
        key: key.clone(),
    }))
}

struct Signature {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl JwtVerifier for Signature {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for Signature {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        let is_right = match (self.algorithm.family(), self.key.kind()) {
            (AlgorithmFamily::Hmac, DecodingKeyKind::SecretOrDer(secret)) => {
                let key = hmac::Key::new(hash(self.algorithm), secret);
                hmac::verify(&key, message, signature)
            }
            (AlgorithmFamily::Rsa, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                // A number of a key set may begin with zeros, which ring does not take.
                let (n, e) = (without_zeros(n), without_zeros(e));
                RsaPublicKeyComponents { n, e }.verify(rsa(self.algorithm), message, signature)
            }
            (AlgorithmFamily::Ec | AlgorithmFamily::Ed, DecodingKeyKind::SecretOrDer(point)) => {
                signature::UnparsedPublicKey::new(curve(self.algorithm), point)
                    .verify(message, signature)
            }
            _ => return Err(Error::new()),
        };
        is_right.map_err(|_| Error::new())
    }
}

fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.get(zeros..).unwrap_or_default()
}

fn hash(algorithm: Algorithm) -> hmac::Algorithm {
    match algorithm {
        Algorithm::HS384 => hmac::HMAC_SHA384,
        Algorithm::HS512 => hmac::HMAC_SHA512,
        _ => hmac::HMAC_SHA256,
    }
}

fn rsa(algorithm: Algorithm) -> &'static RsaParameters {
    match algorithm {
        Algorithm::RS384 => &RSA_PKCS1_2048_8192_SHA384,
        Algorithm::RS512 => &RSA_PKCS1_2048_8192_SHA512,
        Algorithm::PS256 => &RSA_PSS_2048_8192_SHA256,
        Algorithm::PS384 => &RSA_PSS_2048_8192_SHA384,
        Algorithm::PS512 => &RSA_PSS_2048_8192_SHA512,
        _ => &RSA_PKCS1_2048_8192_SHA256,
    }
}

fn curve(algorithm: Algorithm) -> &'static dyn VerificationAlgorithm {
    match algorithm {
        Algorithm::ES384 => &ECDSA_P384_SHA384_FIXED,
        Algorithm::EdDSA => &ED25519,
        _ => &ECDSA_P256_SHA256_FIXED,
    }
}
