import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/** Reads a histogram log with Java's HdrHistogram: prints the sums of all tags, and one percentile distribution. */
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
    System.out.println("{\"tags\":{" + tags + "},\"distribution\":\"" + distribution + "\"}");
  }

  private static String figures(Histogram histogram) {
    StringJoiner figures = new StringJoiner(",", "[", "]").add("" + histogram.getTotalCount());
    if (histogram.getTotalCount() > 0) {
      for (double percentile : PERCENTILES) figures.add("" + histogram.getValueAtPercentile(percentile));
    }
    return figures.toString();
  }
}
