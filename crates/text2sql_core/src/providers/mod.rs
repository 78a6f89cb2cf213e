//! One file per protocol that a model endpoint can speak.

pub mod replay;
