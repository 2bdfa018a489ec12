import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.apache.jena.atlas.json.JSON;
import org.apache.jena.atlas.json.JsonObject;
import org.apache.jena.graph.Node;
import org.apache.jena.graph.Triple;
import org.apache.jena.query.Dataset;
import org.apache.jena.query.QueryExecution;
import org.apache.jena.query.QueryExecutionFactory;
import org.apache.jena.query.ReadWrite;
import org.apache.jena.sparql.engine.binding.Binding;
import org.apache.jena.sparql.core.Var;
import org.apache.jena.sparql.expr.NodeValue;
import org.apache.jena.tdb2.TDB2Factory;
import org.apache.jena.tdb2.loader.Loader;

/**
 * Jena TDB2, on disk, as a peer of the benchmark kit (db/querykit): a line of JSON for each
 * question and each answer. The time of a query ends when each term of each row has been
 * made; text for the digest is made afterwards. The processor's time is that of the thread
 * that answers, without those that compile and collect.
 */
public final class Jena {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static Dataset dataset;

    public static void main(String[] args) throws Exception {
        var directory = Files.createTempDirectory("peers-jena-");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(directory)));
        dataset = TDB2Factory.connectDataset(directory.toString());
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err); // the loader says how far it is
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            JsonObject reply;
            try {
                reply = answer(JSON.parse(line));
            } catch (Exception e) {
                reply = new JsonObject();
                reply.put("error", e.toString());
            }
            out.println(reply.toString().replace("\n", " "));
        }
    }

    private static void remove(Path directory) {
        try (var files = Files.walk(directory)) {
            files.sorted(Collections.reverseOrder()).forEach(f -> f.toFile().delete());
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    private static JsonObject answer(JsonObject question) throws Exception {
        long begin = System.nanoTime(), before = THREADS.getCurrentThreadCpuTime();
        var reply = new JsonObject();
        if (question.hasKey("load")) {
            Loader.load(dataset.asDatasetGraph(), question.getString("load"));
            dataset.begin(ReadWrite.READ);
            reply.put("rows", dataset.asDatasetGraph().getDefaultGraph().size());
            dataset.end();
        } else {
            var rows = rows(question);
            reply.put("rows", rows.size());
            reply.put("ns", System.nanoTime() - begin);
            reply.put("cpu", THREADS.getCurrentThreadCpuTime() - before);
            if (question.hasKey("digest")) {
                reply.put("digest", digest(rows, question.hasKey("ordered")));
            }
        }
        return reply;
    }

    private static List<List<Node>> rows(JsonObject question) {
        var rows = new ArrayList<List<Node>>();
        dataset.begin(ReadWrite.READ);
        try (QueryExecution query = QueryExecutionFactory.create(question.getString("query"), dataset)) {
            if (query.getQuery().isAskType()) {
                var holds = NodeValue.makeBoolean(query.execAsk());
                rows.add(List.of(holds.asNode()));
            } else if (query.getQuery().isConstructType()) {
                for (var graph = query.execConstruct().getGraph().find(); graph.hasNext(); ) {
                    Triple t = graph.next();
                    rows.add(List.of(t.getSubject(), t.getPredicate(), t.getObject()));
                }
            } else {
                var vars = query.getQuery().getProjectVars();
                for (var answer = query.execSelect(); answer.hasNext(); ) {
                    rows.add(row(answer.nextBinding(), vars));
                }
            }
        } finally {
            dataset.end();
        }
        return rows;
    }

    private static List<Node> row(Binding binding, List<Var> vars) {
        var row = new ArrayList<Node>(vars.size());
        for (Var v : vars) {
            row.add(binding.get(v));
        }
        return row;
    }

    private static String digest(List<List<Node>> rows, boolean ordered) throws Exception {
        var lines = new ArrayList<String>(rows.size());
        for (var row : rows) {
            var line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                line.append(i > 0 ? "\t" : "").append(text(row.get(i)));
            }
            lines.add(line.toString());
        }
        if (!ordered) {
            Collections.sort(lines);
        }
        var sum = MessageDigest.getInstance("SHA-256");
        for (String line : lines) {
            sum.update((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(sum.digest()).substring(0, 16);
    }

    /** text writes a term as package querykit does. */
    private static String text(Node term) {
        if (term == null) {
            return "";
        }
        if (!term.isLiteral()) {
            return term.toString();
        }
        String lang = term.getLiteralLanguage();
        String value = term.getLiteralLexicalForm();
        if (term.getLiteralDatatypeURI().endsWith("#decimal") && value.endsWith(".0")) {
            value = value.substring(0, value.length() - 2); // as XSD 1.1 has it, Jena as 1.0 does
        }
        return value + (lang.isEmpty() ? "^^" + term.getLiteralDatatypeURI() : "@" + lang);
    }
}
