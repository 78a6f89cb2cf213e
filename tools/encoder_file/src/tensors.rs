//! The arrays of `weights.npz`: an archive of numpy's `.npy` files.

use std::io::Cursor;

use zip::ZipArchive;

/// The archive.
pub(crate) struct Tensors {
    archive: ZipArchive<Cursor<Vec<u8>>>,
}

impl Tensors {
    pub(crate) fn new(archive: ZipArchive<Cursor<Vec<u8>>>) -> Self {
        Self { archive }
    }

    /// An array of single-precision numbers.
    pub(crate) fn floats(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let data = self.data(name, "<f4", shape)?;
        let (numbers, _) = data.as_chunks();
        Ok(numbers.iter().copied().map(f32::from_le_bytes).collect())
    }

    /// An array of bytes.
    pub(crate) fn bytes(&mut self, name: &str, shape: &[usize]) -> Result<Vec<u8>, String> {
        self.data(name, "|u1", shape)
    }

    /// One double-precision number.
    pub(crate) fn number(&mut self, name: &str) -> Result<f64, String> {
        let data = self.data(name, "<f8", &[])?;
        let number = data.first_chunk().copied().map(f64::from_le_bytes);
        number.ok_or_else(|| format!("{name} is empty"))
    }

    /// The data of a version 1 `.npy` file: magic, version, length of a Python dictionary, the dictionary.
    fn data(&mut self, name: &str, kind: &str, shape: &[usize]) -> Result<Vec<u8>, String> {
        let file = crate::archive::entry(&mut self.archive, &format!("{name}.npy"))?;
        let unknown = || format!("{name}.npy has an unknown layout");
        let content = file
            .strip_prefix(b"\x93NUMPY\x01\x00")
            .ok_or_else(unknown)?;
        let (length, content) = content.split_first_chunk().ok_or_else(unknown)?;
        let length = usize::from(u16::from_le_bytes(*length));
        let (header, data) = content.split_at_checked(length).ok_or_else(unknown)?;
        let sizes = match shape {
            [one] => format!("({one},)"),
            sizes => format!("{sizes:?}").replace('[', "(").replace(']', ")"),
        };
        let wanted = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {sizes}, }}");
        let header = String::from_utf8_lossy(header);
        match header.trim() == wanted {
            true => Ok(data.to_vec()),
            false => Err(format!(
                "{name}.npy is {} instead of {wanted}",
                header.trim()
            )),
        }
    }
}
