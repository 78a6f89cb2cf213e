import java.sql.DriverManager;
import java.sql.SQLException;

/** What Metabase, DBeaver and Tableau do through JDBC; each line printed is a step that a test looks for. */
public class Probes {
    public static void main(String[] arguments) throws Exception {
        var env = System.getenv();
        var url = "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE")
            + "?ApplicationName=Metabase" + (arguments.length > 0 ? "&" + arguments[0] : "");
        var chart = "SELECT * FROM text2sql.ask_rows('Total revenue by channel in 2025') AS t(channel text, revenue numeric)";
        try (var connection = DriverManager.getConnection(url, env.get("PGUSER"), env.get("PGPASSWORD"))) {
            // Describe-only: the columns of a native question.
            try (var described = connection.prepareStatement(chart)) {
                var columns = described.getMetaData();
                System.out.println("described " + columns.getColumnName(1) + " " + columns.getColumnTypeName(2));
            }
            try (var none = connection.prepareStatement("SELECT * FROM (" + chart + ") AS q LIMIT 0")) {
                System.out.println("limit 0 " + none.executeQuery().next());
            }
            // A crawl of tables, columns, keys, functions.
            var metadata = connection.getMetaData();
            int tables = 0, columns = 0, functions = 0;
            try (var found = metadata.getTables(null, null, "%", new String[] {"TABLE", "VIEW", "FOREIGN TABLE"})) {
                while (found.next()) {
                    tables++;
                }
            }
            try (var found = metadata.getColumns(null, null, "%", "%")) {
                while (found.next()) {
                    columns++;
                }
            }
            try (var found = metadata.getFunctions(null, "text2sql", "%")) {
                while (found.next()) {
                    functions++;
                }
            }
            try (var found = metadata.getImportedKeys(null, "public", "orders"); var keys = metadata.getPrimaryKeys(null, "public", "orders")) {
                System.out.println("keys " + (found.next() && keys.next()));
            }
            System.out.println("crawled " + (tables > 20 && columns > 100 && functions > 50));
            System.out.println("asked nothing yet");
            // The run: read-only, with a limit on rows, in portions, as Metabase does.
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            try (var limited = connection.createStatement()) {
                limited.setMaxRows(1);
                limited.setFetchSize(1);
                limited.setQueryTimeout(60);
                var rows = limited.executeQuery("-- Metabase:: userID: 1\n" + chart);
                int count = 0;
                while (rows.next()) {
                    count++;
                }
                // The driver applies the limit in the extended protocol only.
                System.out.println("limited " + (count == 1 || url.contains("preferQueryMode=") && !url.endsWith("=extended")));
            }
            connection.commit();
            // Prepared on the server after some runs, with the question as a parameter.
            try (var ask = connection.prepareStatement("SELECT status FROM text2sql.ask(?, options => ?::jsonb)")) {
                int answered = 0;
                for (int run = 0; run < 8; run++) {
                    ask.setString(1, run % 2 == 0 ? "How many orders are there?" : "How many stores are there?");
                    ask.setString(2, "{}");
                    var rows = ask.executeQuery();
                    rows.next();
                    answered += rows.getString(1).equals("ok") ? 1 : 0;
                }
                System.out.println("prepared " + answered);
            }
            connection.commit();
            try (var declined = connection.prepareStatement("SELECT text2sql.to_sql(?)")) {
                declined.setString(1, "Delete all orders");
                declined.executeQuery();
            } catch (SQLException error) {
                System.out.println("declined " + error.getSQLState());
            }
            connection.rollback();
        }
    }
}
