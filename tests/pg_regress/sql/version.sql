-- The library, the installed SQL objects and the control file have the same version.
SELECT (SELECT value FROM text2sql.status() WHERE item = 'version') = extversion AS library_fits_objects,
       extversion = default_version AS objects_fit_control_file
FROM pg_extension JOIN pg_available_extensions ON name = extname
WHERE extname = 'pg_text2sql';
