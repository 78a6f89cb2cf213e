//! Enums whose variants have names that users see.

/// An enum that is written with the names of its variants, `Variant = "name",`, which `as_str()` returns.
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$about:meta])*
        $visibility:vis enum $enum:ident { $($(#[$of:meta])* $variant:ident = $name:literal,)+ }
    ) => {
        $(#[$about])*
        $visibility enum $enum {
            $($(#[$of])* $variant,)+
        }

        impl $enum {
            /// Its name.
            $visibility const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}
