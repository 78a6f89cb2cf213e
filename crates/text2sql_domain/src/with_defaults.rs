//! Structs whose fields stand beside their defaults.

/// A struct that is written with the default of each field, `field: Type = value,`, of which `Default` is made.
#[macro_export]
macro_rules! with_defaults {
    (
        $(#[$about:meta])*
        $visibility:vis struct $struct:ident {
            $($(#[$of:meta])* $shown:vis $field:ident: $type:ty = $default:expr,)+
        }
    ) => {
        $(#[$about])*
        $visibility struct $struct {
            $($(#[$of])* $shown $field: $type,)+
        }

        impl Default for $struct {
            fn default() -> Self {
                Self {
                    $($field: $default,)+
                }
            }
        }
    };
}
