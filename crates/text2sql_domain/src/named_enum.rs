//! Enums whose variants have names that users see.

/// An enum that is written with the names of its variants, `Variant = "name",`, which `as_str()` returns; with
/// `listed:` before it, `ALL` has every variant.
#[macro_export]
macro_rules! named_enum {
    (
        listed:
        $(#[$about:meta])*
        $visibility:vis enum $enum:ident { $($(#[$of:meta])* $variant:ident = $name:literal,)+ }
    ) => {
        $crate::named_enum! {
            $(#[$about])*
            $visibility enum $enum { $($(#[$of])* $variant = $name,)+ }
        }

        impl $enum {
            /// All of them, in this order.
            $visibility const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];
        }
    };
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
