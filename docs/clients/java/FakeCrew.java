/** A fake crew for JUnit 5: {@code @RegisterExtension static FakeCrew crew = new FakeCrew();} */
import java.io.*;
import java.net.URI;
import java.net.http.*;
import java.util.List;
import org.junit.jupiter.api.extension.*;

class FakeCrew implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
  private Process process;
  String url, token;

  public void beforeAll(ExtensionContext context) throws Exception {
    String start = "npx --no crewload fake --profile crew.yaml --clock manual --json --with-parent";
    process = new ProcessBuilder(start.split(" ")).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String[] words = process.inputReader().readLine().split("\"");
    url = words[3];
    token = words[7];
  }

  public void beforeEach(ExtensionContext context) throws Exception { control("POST", "reset", ""); }

  public void afterAll(ExtensionContext context) throws Exception { process.destroy(); process.waitFor(); }

  /** One JSON text a line, as the control interface answers. */
  List<String> control(String method, String path, String body) throws Exception {
    URI uri = URI.create(url + "/__fake__/" + path);
    var request = HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.ofString(body)).build();
    var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() >= 300) throw new IOException(answer.body());
    return answer.body().lines().toList();
  }
}
