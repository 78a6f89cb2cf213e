//! Classifies addresses as public or not. Unknown ranges are not public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 ranges that are not public, from IANA's special-purpose registry.
const SPECIAL_V4: [(Ipv4Addr, u32); 14] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),       // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // carrier-grade NAT
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link-local, cloud metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 3),     // multicast, reserved, broadcast
];

/// The only public IPv6 range.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Ranges within [`GLOBAL_V6`] that are not public.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, Teredo
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4: wraps any IPv4 address
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// IPv4 addresses embedded in IPv6 (NAT64, RFC 6052): public if the embedded address is.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Whether an address is on the public internet. Loopback, private, link-local,
/// multicast, documentation, transition and unassigned ranges are not.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) if is_within_v6(address, NAT64) => {
            let [.., a, b, c, d] = address.octets();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        IpAddr::V6(address) => {
            is_within_v6(address, GLOBAL_V6)
                && !SPECIAL_V6.iter().any(|range| is_within_v6(address, *range))
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|(network, length)| {
        (address.to_bits() ^ network.to_bits()) >> (Ipv4Addr::BITS - length) == 0
    })
}

fn is_within_v6(address: Ipv6Addr, (network, length): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()) >> (Ipv6Addr::BITS - length) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: bool, addresses: &str) {
        for address in addresses.split_whitespace() {
            assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn lets_public_addresses_through() {
        check(
            true,
            "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0",
        );
        check(
            true,
            "126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255",
        );
        check(
            true,
            "172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0",
        );
        check(
            true,
            "198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255",
        );
        check(
            true,
            "2606:4700:4700::1111 2001:200::1 2001:4860:4860::8888 2a00:1450::1",
        );
    }

    #[test]
    fn stops_loopback_private_and_link_local() {
        check(
            false,
            "0.0.0.0 0.1.2.3 127.0.0.1 127.255.255.254 10.0.0.1 10.255.255.255",
        );
        check(
            false,
            "172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255 169.254.169.254",
        );
        check(
            false,
            "100.64.0.1 100.127.255.255 :: ::1 fe80::1 febf::1 fec0::1 fc00::1 fdff::1",
        );
    }

    #[test]
    fn stops_multicast_reserved_and_documentation() {
        check(
            false,
            "224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 192.0.0.8",
        );
        check(
            false,
            "192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 198.19.255.255 192.88.99.1",
        );
        check(
            false,
            "ff02::1 2001:db8::1 3fff::1 100::1 5f00::1 4000::1 8000::1",
        );
    }

    #[test]
    fn stops_forms_that_wrap_an_ipv4_address() {
        check(
            false,
            "::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 ::ffff:0:10.0.0.1",
        );
        check(
            false,
            "2002:7f00:1:: 2002:808:808:: 2001:0:7f00:1:: 64:ff9b:1::a00:1",
        );
        check(
            false,
            "64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254",
        );
    }

    #[test]
    fn judges_nat64_by_the_address_inside() {
        check(true, "64:ff9b::8.8.8.8");
    }
}
