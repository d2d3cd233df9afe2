/** The form of a test: the client waits through the clock of the crew. */
import static org.junit.jupiter.api.Assertions.*;

import java.net.URI;
import java.net.http.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ClientTest {
  @RegisterExtension static FakeCrew crew = new FakeCrew();

  @Test
  void retriesA503Once() throws Exception {
    crew.control("POST", "faults", "{ status: { code: 503 }, operations: [kickoff], only: 1 }");
    assertEquals(503, kickoff("bees").statusCode());
    crew.control("POST", "clock/advance", "1s");
    assertEquals(200, kickoff("bees").statusCode());
    assertEquals(2, crew.control("GET", "requests?operation=kickoff", "").size());
    assertEquals(1, crew.control("GET", "ledger", "").size());
  }

  @Test
  void aRunFailsAtItsSecondTask() throws Exception {
    kickoff("wasps");
    crew.control("POST", "clock/advance", "10m");
    assertTrue(crew.control("GET", "ledger", "").get(0).contains("\"outcome\":\"failed\""));
  }

  private HttpResponse<String> kickoff(String topic) throws Exception {
    String body = "{\"inputs\":{\"topic\":\"" + topic + "\"}}";
    var request = HttpRequest.newBuilder(URI.create(crew.url + "/kickoff"))
        .header("authorization", "Bearer " + crew.token)
        .header("content-type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body));
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
