//! Mean of the last hidden states over the tokens, scaled to length 1, as sentence-transformers does.

use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_retrieval::vectors::hash_embedder::normalize;
use tokenizers::{Tokenizer, TruncationParams};

/// Maximum number of tokens of a text: such models are trained on no longer ones.
const MAX_TOKENS: usize = 256;

/// A loaded model.
pub struct LocalEmbedder {
    name: String,
    model: BertModel,
    tokenizer: Tokenizer,
    dimensions: usize,
}

impl LocalEmbedder {
    /// What the model of a directory is called, without loading it.
    pub fn name_of(directory: &Path) -> String {
        let name = directory.file_name().map(|name| name.to_string_lossy());
        format!("local:{}", name.unwrap_or_default())
    }

    /// Loads the model of a directory; its name is the directory's.
    pub fn load(directory: &Path) -> Result<Self, Error> {
        let read = |file: &str| {
            std::fs::read(directory.join(file)).map_err(|error| {
                failure(&format!("could not read {file} of the local model"), error)
            })
        };
        let config: Config = serde_json::from_slice(&read("config.json")?)
            .map_err(|error| failure("could not read the local model's config.json", error))?;
        let mut tokenizer = Tokenizer::from_bytes(read("tokenizer.json")?)
            .map_err(|error| failure("could not read the local model's tokenizer.json", error))?;
        // Texts are embedded one by one: padding would only cost time.
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(Some(TruncationParams {
                max_length: MAX_TOKENS,
                ..TruncationParams::default()
            }))
            .map_err(|error| failure("could not set up the local model's tokenizer", error))?;
        let weights = VarBuilder::from_buffered_safetensors(
            read("model.safetensors")?,
            DType::F32,
            &Device::Cpu,
        )
        .map_err(|error| failure("could not read the local model's weights", error))?;
        let model = BertModel::load(weights, &config)
            .map_err(|error| failure("could not load the local model", error))?;
        Ok(Self {
            name: Self::name_of(directory),
            model,
            tokenizer,
            dimensions: config.hidden_size,
        })
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, Error> {
        let encoding = self
            .tokenizer
            .encode(text, true)
            .map_err(|error| failure("could not tokenize a text", error))?;
        let run = || -> candle_core::Result<Vec<f32>> {
            let tokens = Tensor::new(encoding.get_ids(), &Device::Cpu)?.unsqueeze(0)?;
            let types = tokens.zeros_like()?;
            let states = self.model.forward(&tokens, &types, None)?;
            states.mean(1)?.squeeze(0)?.to_vec1::<f32>()
        };
        let mut vector = run().map_err(|error| failure("the local model failed", error))?;
        normalize(&mut vector);
        Ok(vector)
    }
}

impl Embedder for LocalEmbedder {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embeds_columns(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        texts.iter().map(|text| self.vector(text)).collect()
    }
}

fn failure(message: &str, error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Setup, message).with_detail(error.to_string())
}
