//! Signatures of every algorithm that a token may have. Those by RSA were made with `openssl dgst`, and the key is gone.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::crypto::verify;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair,
};

use super::*;

const MESSAGE: &[u8] = b"a message that somebody signed";
const RSA: &str = include_str!("openssl_rsa.txt");

/// The right message is accepted, and neither another one nor another signature.
fn assert_verified(algorithm: Algorithm, key: &DecodingKey, signature: &[u8]) {
    install();
    let check = |message: &[u8], signature: &[u8]| {
        verify(&URL_SAFE_NO_PAD.encode(signature), message, key, algorithm).unwrap_or(false)
    };
    assert!(check(MESSAGE, signature), "{algorithm:?}");
    assert!(!check(b"another message", signature), "{algorithm:?}");
    let mut wrong = signature.to_vec();
    wrong[7] ^= 1;
    assert!(!check(MESSAGE, &wrong), "{algorithm:?}");
    for cut in [0, signature.len() - 1] {
        assert!(!check(MESSAGE, &signature[..cut]), "{algorithm:?} {cut}");
    }
}

fn rsa_values() -> impl Iterator<Item = (&'static str, &'static str)> {
    RSA.lines().filter_map(|line| line.split_once(' '))
}

#[test]
fn rsa_in_all_its_forms() {
    let (_, modulus) = rsa_values().next().unwrap();
    let key = DecodingKey::from_rsa_components(modulus, "AQAB").unwrap();
    let mut seen = 0;
    for (name, signature) in rsa_values().skip(1) {
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        assert_verified(name.parse().unwrap(), &key, &signature);
        seen += 1;
    }
    assert_eq!(seen, 6);
}

#[test]
fn a_modulus_may_begin_with_a_zero() {
    let (_, modulus) = rsa_values().next().unwrap();
    let mut number = vec![0];
    number.extend(URL_SAFE_NO_PAD.decode(modulus).unwrap());
    let key = DecodingKey::from_rsa_raw_components(&number, &[0, 1, 0, 1]);
    let (_, signature) = rsa_values().find(|(name, _)| *name == "PS384").unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    assert_verified(Algorithm::PS384, &key, &signature);
}

#[test]
fn a_signature_of_one_algorithm_is_none_of_another() {
    install();
    let (_, modulus) = rsa_values().next().unwrap();
    let key = DecodingKey::from_rsa_components(modulus, "AQAB").unwrap();
    for (name, signature) in rsa_values().skip(1) {
        for (other, _) in rsa_values().skip(1).filter(|(other, _)| *other != name) {
            let algorithm = other.parse().unwrap();
            let is_right = verify(signature, MESSAGE, &key, algorithm).unwrap_or(false);
            assert!(!is_right, "{name} as {other}");
        }
        // The public key, taken for a secret.
        assert!(verify(signature, MESSAGE, &key, Algorithm::HS256).is_err());
    }
}

#[test]
fn curves() {
    let random = SystemRandom::new();
    for (algorithm, signing) in [
        (Algorithm::ES256, &ECDSA_P256_SHA256_FIXED_SIGNING),
        (Algorithm::ES384, &ECDSA_P384_SHA384_FIXED_SIGNING),
    ] {
        let document = EcdsaKeyPair::generate_pkcs8(signing, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(signing, document.as_ref(), &random).unwrap();
        let (x, y) = pair.public_key().as_ref()[1..].split_at(pair.public_key().as_ref().len() / 2);
        let [x, y] = [x, y].map(|number| URL_SAFE_NO_PAD.encode(number));
        let key = DecodingKey::from_ec_components(&x, &y).unwrap();
        let signature = pair.sign(&random, MESSAGE).unwrap();
        assert_verified(algorithm, &key, signature.as_ref());
    }
    let document = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
    let x = URL_SAFE_NO_PAD.encode(pair.public_key().as_ref());
    let key = DecodingKey::from_ed_components(&x).unwrap();
    assert_verified(Algorithm::EdDSA, &key, pair.sign(MESSAGE).as_ref());
}

#[test]
fn secrets() {
    let secret = b"a secret of thirty-two bytes, or more";
    let key = DecodingKey::from_secret(secret);
    for (algorithm, hash) in [
        (Algorithm::HS256, hmac::HMAC_SHA256),
        (Algorithm::HS384, hmac::HMAC_SHA384),
        (Algorithm::HS512, hmac::HMAC_SHA512),
    ] {
        let signature = hmac::sign(&hmac::Key::new(hash, secret), MESSAGE);
        assert_verified(algorithm, &key, signature.as_ref());
    }
}
