//! What may be set, by whom, and what is said when something is wrong.

use super::*;

fn options(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

const GOOD: [(&str, &str); 3] = [
    ("protocol", "openai"),
    ("base_url", "https://host/v1"),
    ("model", "m"),
];

fn check_server(extra: &[(&str, &str)], is_superuser: bool) -> Result<(), String> {
    let mut all = GOOD.to_vec();
    all.retain(|(name, _)| !extra.iter().any(|(other, _)| other == name));
    all.extend(extra);
    check(OptionPlace::Server, &options(&all), rights(is_superuser))
        .map_err(|e| e.message().to_owned())
}

fn rights(is_superuser: bool) -> Rights {
    Rights {
        is_superuser,
        reads_files: false,
    }
}

#[test]
fn accepts_what_the_documentation_shows() {
    assert_eq!(
        check_server(
            &[("egress", "schema"), ("temperature", "0"), ("seed", "7")],
            false
        ),
        Ok(())
    );
    assert_eq!(
        check_server(
            &[
                ("base_url", "http://127.0.0.1:11434/v1"),
                ("allow_private", "true"),
                ("allow_http", "on")
            ],
            true
        ),
        Ok(())
    );
    assert_eq!(
        check_server(&[("base_url", "https://[::1]:8443/v1")], true),
        Ok(())
    );
    assert_eq!(
        check_server(
            &[
                ("extra_headers", r#"{"x-title": "shop"}"#),
                ("extra_body", r#"{"top_p": 1}"#)
            ],
            false
        ),
        Ok(())
    );
}

#[test]
fn keeps_files_network_and_transport_to_superusers() {
    for name in [
        "api_key_file",
        "api_key_env",
        "allow_private",
        "allow_http",
        "ca_file",
        "proxy",
    ] {
        let error = check_server(&[(name, "true")], false).unwrap_err();
        assert_eq!(error, format!("only a superuser can set option \"{name}\""));
    }
    assert!(check_server(&[("base_url", "https://host:8080/v1")], false).is_err());
}

#[test]
fn a_mapping_holds_a_key_and_nothing_else() {
    let mapping = |pairs: &[(&str, &str)]| {
        check(OptionPlace::UserMapping, &options(pairs), rights(false))
            .map_err(|e| e.message().to_owned())
    };
    assert_eq!(mapping(&[("api_key", "k")]), Ok(()));
    assert_eq!(
        mapping(&[("base_url", "https://evil/v1")]).unwrap_err(),
        "option \"base_url\" belongs to the server, not to a user mapping"
    );
    assert!(mapping(&[("proxy", "http://evil")]).is_err());
    assert!(mapping(&[("api_key_file", "/etc/shadow")]).is_err());
}

#[test]
fn a_key_is_never_in_an_option_that_all_users_can_read() {
    assert!(
        check_server(&[("api_key", "k")], true)
            .unwrap_err()
            .contains("readable by all users")
    );
    assert!(
        check_server(
            &[("extra_headers", r#"{"Authorization": "Bearer k"}"#)],
            true
        )
        .is_err()
    );
    assert!(check_server(&[("base_url", "https://user:pass@host/v1")], true).is_err());
    assert!(check_server(&[("base_url", "https://host/v1?key=k")], true).is_err());
    assert!(check_server(&[("api_key_env", "PATH")], true).is_err());
    let error = check(
        OptionPlace::Server,
        &options(&[
            ("api_key_env", "X_API_KEY"),
            ("api_key_file", "f"),
            GOOD[0],
            GOOD[1],
            GOOD[2],
        ]),
        rights(true),
    );
    assert!(error.is_err());
}

#[test]
fn names_what_is_wrong_without_repeating_the_value() {
    for (name, value) in [
        ("protocol", "soap"),
        ("egress", "all"),
        ("timeout_ms", "1"),
        ("temperature", "9"),
        ("seed", "x"),
        ("max_output_tokens", "0"),
        ("context_length", "999"),
        ("structured_output", "maybe"),
        ("extra_body", "[]"),
        ("extra_headers", "{\"a\": 1}"),
        ("base_url", "ftp://host"),
        ("base_url", "https://"),
        ("model", " "),
    ] {
        let error = check_server(&[(name, value)], true).unwrap_err();
        assert_eq!(error, format!("option \"{name}\" has an invalid value"));
    }
    assert_eq!(
        check_server(&[("colour", "red")], true).unwrap_err(),
        "unknown option \"colour\""
    );
    let error = check(OptionPlace::Server, &options(&GOOD[..2]), rights(true)).unwrap_err();
    assert_eq!(error.message(), "option \"model\" is missing");
}

#[test]
fn finds_the_host_of_a_url() {
    for (url, expect) in [
        ("https://host/v1", "host"),
        ("http://127.0.0.1:11434/v1", "127.0.0.1"),
        ("https://[::1]:1/v1", "::1"),
        ("https://h", "h"),
    ] {
        assert_eq!(host(url), expect);
    }
}

#[test]
fn builds_the_endpoint() {
    let all = options(&[
        GOOD[0],
        GOOD[1],
        GOOD[2],
        ("timeout_ms", "500"),
        ("egress", "values"),
        ("extra_headers", "{\"X-A\": \"b\"}"),
    ]);
    let endpoint = endpoint("gpt", &all, Some(Secret::new("k")), None).unwrap();
    assert_eq!(
        (endpoint.timeout, endpoint.egress),
        (Duration::from_millis(500), Egress::Values)
    );
    assert_eq!(endpoint.extra_headers, [("x-a".to_owned(), "b".to_owned())]);
    assert!(endpoint.structured_output && !endpoint.connection.allow_http);
    assert!(!format!("{endpoint:?}").contains("\"k\""));
}

#[test]
fn prices_are_numbers_from_0_in_one_currency() {
    let prices = |extra: &[(&str, &str)]| {
        let mut all = GOOD.to_vec();
        all.extend(extra);
        endpoint("m", &options(&all), None, None).unwrap().prices
    };
    assert_eq!(prices(&[("currency", "EUR")]), None, "no price, no cost");
    let read = prices(&[
        ("price_input", "2.50"),
        ("price_output", "10"),
        ("currency", "eur"),
    ]);
    assert_eq!(
        read,
        Some(Prices {
            input: 2.5,
            output: 10.0,
            cached_input: 2.5,
            currency: "EUR".to_owned()
        })
    );
    let read = prices(&[("price_input", "0.15"), ("price_cached_input", "0.075")]).unwrap();
    assert_eq!((read.cached_input, read.output), (0.075, 0.0));
    assert_eq!(read.currency, "USD");
    for (name, value) in [
        ("price_input", "-1"),
        ("price_output", "cheap"),
        ("price_output", "NaN"),
        ("price_cached_input", "inf"),
        ("currency", "dollar"),
        ("currency", "U$D"),
    ] {
        assert_eq!(
            check_server(&[(name, value)], false),
            Err(format!("option \"{name}\" has an invalid value"))
        );
    }
}

#[test]
fn a_model_file_is_named_by_who_may_read_files() {
    let file = [
        ("protocol", "local"),
        ("model_file", "/m/Qwen2.5-Coder-1.5B.gguf"),
    ];
    let check = |extra: &[(&str, &str)], rights: Rights| {
        let all = [&file[..], extra].concat();
        check(OptionPlace::Server, &options(&all), rights).map_err(|e| e.message().to_owned())
    };
    let reader = Rights {
        is_superuser: false,
        reads_files: true,
    };
    assert_eq!(
        check(&[("threads", "2"), ("memory_mb", "900")], reader),
        Ok(())
    );
    assert_eq!(check(&[], rights(true)), Ok(()));
    let refused = check(&[], rights(false)).unwrap_err();
    assert!(refused.contains("pg_read_server_files"), "{refused}");
    // With a network it would be another model.
    for (option, value) in [("base_url", "https://host/v1"), ("proxy", "http://host")] {
        let refused = check(&[(option, value)], rights(true)).unwrap_err();
        assert!(refused.contains(option), "{refused}");
    }
    assert!(check_server(&[("model_file", "/m/x.gguf")], true).is_err());
    assert!(check_server(&[("protocol", "local")], true).is_err());
    let check_named = |named: &_| {
        let checked = super::check(OptionPlace::Server, named, rights(true));
        checked.map_err(|e| e.message().to_owned())
    };
    for wrong in ["m.gguf", "/m.gguf\n--nice\n0"] {
        let named = options(&[("protocol", "local"), ("model_file", wrong)]);
        let refused = check_named(&named).unwrap_err();
        assert!(refused.contains("model_file"), "{refused}");
    }
    assert_eq!(not_of_owner(&options(&file), reader), None);
    let refused = options(&file);
    let refused = not_of_owner(&refused, rights(false));
    assert_eq!(refused.map(|(option, _)| option), Some("model_file"));
}

#[test]
fn a_model_file_is_an_endpoint_without_a_network() {
    let file = options(&[
        ("protocol", "local"),
        ("model_file", "/m/Qwen2.5-Coder-1.5B.gguf"),
    ]);
    let local = endpoint("own", &file, None, None).unwrap();
    assert_eq!(local.model, "Qwen2.5-Coder-1.5B");
    assert_eq!(
        (local.egress, local.profile),
        (Egress::Rows, Profile::Compact)
    );
    assert!(!local.structured_output);
    let program = local.connection.program.unwrap();
    assert!(program.socket().starts_with("pgsql_tmp_text2sql"));
    let other = ModelProgram {
        threads: 7,
        ..program.clone()
    };
    assert_ne!(program.socket(), other.socket());
}

#[test]
fn the_name_of_a_model_says_how_long_its_prompts_may_be() {
    for (name, expected) in [
        ("qwen2.5-coder:1.5b", Profile::Compact),
        ("Llama-3.2-3B-Instruct", Profile::Compact),
        ("mistral-7b", Profile::Compact),
        ("qwen2.5-coder-32b", Profile::Full),
        ("gpt-5", Profile::Full),
        ("sub-b", Profile::Full),
    ] {
        assert_eq!(usual_profile(name, false), expected, "{name}");
    }
    let set = [&GOOD[..2], &[("model", "mistral-7b"), ("profile", "full")]].concat();
    let full = endpoint("m", &options(&set), None, None).unwrap();
    assert_eq!(full.profile, Profile::Full);
}

#[test]
fn a_value_has_an_end() {
    let long = "m".repeat(MAX_VALUE_BYTES);
    assert_eq!(check_server(&[("model", &long)], false), Ok(()));
    assert_eq!(
        check_server(&[("model", &(long + "m"))], false),
        Err("option \"model\" has 16385 bytes, and may have 16384".to_owned())
    );
}
