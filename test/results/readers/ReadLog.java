import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.zip.InflaterInputStream;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/**
 * Reads a histogram log with Java's HdrHistogram: prints the sums of all tags, one percentile distribution, and how many histograms it
 * would write in other bytes.
 */
class ReadLog {
  private static final double[] PERCENTILES = {50, 75, 90, 95, 99, 99.9, 100};

  public static void main(String[] args) throws Exception {
    Map<String, Histogram> sums = new TreeMap<>();
    HistogramLogReader reader = new HistogramLogReader(new File(args[0]));
    while (reader.hasNext()) {
      EncodableHistogram interval = reader.nextIntervalHistogram();
      if (interval != null) sums.computeIfAbsent(interval.getTag(), tag -> new Histogram(3)).add((Histogram) interval);
    }
    StringJoiner tags = new StringJoiner(",");
    sums.forEach((tag, histogram) -> tags.add("\"" + tag + "\":" + figures(histogram)));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    sums.get(args[1]).outputPercentileDistribution(new PrintStream(bytes), 5, 1000.0);
    String distribution = bytes.toString().replace("\n", "\\n").replace("\r", "");
    System.out.println(
        "{\"tags\":{" + tags + "},\"distribution\":\"" + distribution + "\",\"different\":" + different(args[0]) + "}");
  }

  private static long different(String path) throws Exception {
    long different = 0;
    for (String line : Files.readAllLines(Path.of(path))) {
      if (!line.startsWith("Tag=")) continue;
      byte[] compressed = Base64.getDecoder().decode(line.substring(line.lastIndexOf(',') + 1));
      byte[] payload = new InflaterInputStream(new ByteArrayInputStream(compressed, 8, compressed.length - 8)).readAllBytes();
      Histogram histogram = Histogram.decodeFromByteBuffer(ByteBuffer.wrap(payload), 0);
      ByteBuffer own = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
      histogram.encodeIntoByteBuffer(own);
      if (!own.flip().equals(ByteBuffer.wrap(payload))) different++;
    }
    return different;
  }

  private static String figures(Histogram histogram) {
    StringJoiner figures = new StringJoiner(",", "[", "]").add("" + histogram.getTotalCount());
    if (histogram.getTotalCount() > 0) {
      for (double percentile : PERCENTILES) figures.add("" + histogram.getValueAtPercentile(percentile));
    }
    return figures.toString();
  }
}
