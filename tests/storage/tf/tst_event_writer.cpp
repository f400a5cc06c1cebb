// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/tf/events/event_reader.h"
#include "storage/tf/events/event_writer.h"
#include "storage/tf/schema/event.pb.h"
#include "tests/storage/io/faulty_file_system.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>

#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::storage;

namespace {

EventWriterOptions testOptions(double& time)
{
    return {.fileNameSuffix = "", .hostName = "host", .clock = [&time] { return time++; }};
}

} // namespace

class TstEventWriter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bytesAreThoseOfTensorFlow();
    void bytesAreThoseOfProtobuf();
    void histogramsAreThoseOfTensorFlow();
    void numbersLieBetweenTheLimitsOfTheirBucket();
    void positionsAreFileSizesAfterAFlush();
    void twoWritersNeverShareAFile();
    void everythingComesBack();
    void fullDiskIsReported();
};

void TstEventWriter::bytesAreThoseOfTensorFlow()
{
    const QTemporaryDir folder;
    double time = 1700000000;
    auto writer = EventWriter::create(folder.path().toStdString(), testOptions(time));
    VERIFY_OK(writer);
    SummaryBuilder summary;
    summary.scalar("loss", 0.5F);
    VERIFY_OK(writer->writeSummary(1, summary));
    VERIFY_OK(writer->flush());
    QCOMPARE(baseName(writer->path()), std::string("events.out.tfevents.1700000000.host"));
    QCOMPARE(QByteArray::fromStdString(*readWholeFile(writer->path())).toHex(),
             QByteArray("1800000000000000a37f4b220900000040fc54d9411a0d627261696e2e4576656e743a32"
                        "eced8f9d"
                        "1a00000000000000129bd82d0900004040fc54d94110012a0d0a0b0a046c6f737315"
                        "0000003f97d67404"));
}

/// The hand-encoded messages equal protobuf's output, and parse.
void TstEventWriter::bytesAreThoseOfProtobuf()
{
    const QTemporaryDir folder;
    double time = 1700000000.25;
    const std::vector<std::string> tags{
        "", "a", "loss", std::string(114, 'x'), std::string(300, 'y'), "\xc3\xa9/\xe6\x97\xa5"};
    const std::vector<float> values{0.0F, -0.0F, 1.5F, -3e38F, std::nanf(""), INFINITY};
    auto writer = EventWriter::create(folder.path().toStdString(),
                                      {.hostName = "host", .clock = [&time] { return time; }});
    VERIFY_OK(writer);
    std::string expected = *readWholeFile(writer->path());
    const auto expect = [&](std::int64_t step, const std::vector<std::string>& tagsOfEvent) {
        tensorflow::Event event;
        event.set_wall_time(time);
        event.set_step(step);
        event.mutable_summary();
        SummaryBuilder summary;
        for (std::size_t i = 0; i < tagsOfEvent.size(); ++i) {
            tensorflow::Summary::Value* value = event.mutable_summary()->add_value();
            value->set_tag(tagsOfEvent[i]);
            value->set_simple_value(values[i % values.size()]);
            summary.scalar(tagsOfEvent[i], values[i % values.size()]);
        }
        std::string bytes;
        event.SerializeToString(&bytes);
        expected += frameRecord(bytes);
        VERIFY_OK(writer->writeSummary(step, summary));
    };
    for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, std::int64_t{127},
                                    std::int64_t{128}, std::int64_t{1} << 40U, std::int64_t{-1}}) {
        expect(step, tags);
        expect(step, {tags[2]});
        expect(step, {});
        time += 0.125;
    }
    time = 0;
    expect(3, {"zero"});
    time = -0.0;
    expect(3, {"zero"});
    VERIFY_OK(writer->close());
    QCOMPARE(QByteArray::fromStdString(*readWholeFile(writer->path())).toHex(),
             QByteArray::fromStdString(expected).toHex());
}

void TstEventWriter::histogramsAreThoseOfTensorFlow()
{
    // What tf.compat.v1.summary.histogram of TensorFlow 2.15.1 serialises for these values.
    Histogram histogram;
    const std::vector<float> values{0.0F, -1.5F, 2.0F, 2.0F, 1e-13F, 1e30F, -3e38F, 0.25F};
    histogram.add(values);
    histogram.add(std::nan(""));
    QCOMPARE(histogram.nonFiniteCount(), std::uint64_t{1});
    SummaryBuilder summary;
    summary.histogram("h", histogram);
    QCOMPARE(QByteArray::fromStdString(summary.serialized()).toHex(),
             QByteArray("0af7010a01682af10109000000c03c36ecc71100000040593e294619000000000000204021"
                        "6c1a6cbe3c36ecc72980547b3d46dfe84f3260ffffffffffffefff4c549f02238315c479"
                        "4cfae2d3fff9bf8545cc9fc0a2f7bf000000000000000011ea2d819997713ded5ad35fc5"
                        "eace3f9c0b81c11f01d13fdc94cd2e8d75ff3fe011f10c744d01404c549f0223831544ff"
                        "ffffffffffef7f3a600000000000000000000000000000f03f0000000000000000000000"
                        "000000f03f000000000000000000000000000000400000000000000000000000000000f0"
                        "3f000000000000000000000000000000400000000000000000000000000000f03f"));
    histogram.clear();
    summary.clear();
    summary.histogram("e", histogram);
    QCOMPARE(QByteArray::fromStdString(summary.serialized()).toHex(),
             QByteArray("0a2b0a01652a2609ffffffffffffef7f11ffffffffffffefff3208ffffffffffffef7f3a"
                        "080000000000000000"));
}

void TstEventWriter::numbersLieBetweenTheLimitsOfTheirBucket()
{
    Histogram histogram;
    std::vector<double> numbers{0.0, -0.0, 1e-300, 5e-324, 1e300};
    for (double limit = 1e-12; limit < 1e21; limit *= 1.1) { // as the limits are computed
        numbers.insert(numbers.end(), {std::nextafter(limit, 0), limit, std::nextafter(limit, 1e30),
                                       limit * 1.02, limit * 1.05});
    }
    for (const double size : numbers) {
        for (const double number : {size, -size}) {
            histogram.clear();
            histogram.add(number);
            const std::vector<Histogram::Bucket> buckets = histogram.buckets();
            const auto bucket = std::ranges::find(buckets, 1.0, &Histogram::Bucket::count);
            QVERIFY(bucket != buckets.begin() && bucket != buckets.end());
            QVERIFY2((bucket - 1)->limit <= number && number < bucket->limit,
                     qPrintable(QString::number(number)));
        }
    }
}

void TstEventWriter::positionsAreFileSizesAfterAFlush()
{
    const QTemporaryDir folder;
    auto writer = EventWriter::create(folder.filePath("a/b").toStdString());
    VERIFY_OK(writer);
    for (int step = 0; step < 3; ++step) {
        SummaryBuilder summary;
        summary.scalar("x", static_cast<float>(step));
        const auto position = writer->writeSummary(step, summary);
        VERIFY_OK(position);
        QVERIFY(*position > *fileSize(writer->path()));
        VERIFY_OK(writer->flush());
        QCOMPARE(*position, *fileSize(writer->path()));
    }
}

void TstEventWriter::twoWritersNeverShareAFile()
{
    const QTemporaryDir folder;
    double time = 5;
    const std::string path = folder.path().toStdString();
    VERIFY_OK(EventWriter::create(path, testOptions(time)));
    time = 5;
    VERIFY_OK(EventWriter::create(path, testOptions(time)));
    QCOMPARE(*listEventFiles(path),
             (std::vector<std::string>{path + "/events.out.tfevents.0000000005.host",
                                       path + "/events.out.tfevents.0000000006.host"}));
}

void TstEventWriter::everythingComesBack()
{
    const QTemporaryDir folder;
    double time = 100;
    auto writer = EventWriter::create(folder.path().toStdString(), testOptions(time));
    Histogram histogram;
    histogram.add(1.5);
    SummaryBuilder summary;
    summary.scalar("s", 2.5F).histogram("h", histogram).stringTensor("c", "model.ckpt-3");
    summary.text("t", "*hello*");
    VERIFY_OK(writer->writeGraph("graph"));
    VERIFY_OK(writer->writeSessionLog(3, SessionStatus::Checkpoint, "dir/model.ckpt"));
    VERIFY_OK(writer->writeSummary(3, summary));
    VERIFY_OK(writer->close());
    auto reader = EventReader::open(writer->path());
    VERIFY_OK(reader);
    QCOMPARE((*reader->next())->text, std::string("brain.Event:2"));
    const Event graph = **reader->next();
    QVERIFY(graph.kind == Event::Kind::Graph && graph.text == "graph" && graph.wallTime == 101);
    const Event log = **reader->next();
    QVERIFY(log.kind == Event::Kind::SessionLog && log.sessionStatus == 3 && log.step == 3);
    const Event event = **reader->next();
    QCOMPARE(event.values.size(), std::size_t{4});
    QVERIFY(std::get<float>(event.values[0].value) == 2.5F);
    const auto& back = std::get<EventHistogram>(event.values[1].value);
    QVERIFY(back.buckets == histogram.buckets() && back.count == 1 && back.sum == 1.5);
    QCOMPARE(std::get<HostTensor>(event.values[2].value).strings.front(),
             std::string("model.ckpt-3"));
    QCOMPARE(event.values[3].plugin, std::string("text"));
    QVERIFY(!reader->next()->has_value());
}

void TstEventWriter::fullDiskIsReported()
{
    const QTemporaryDir folder;
    tests::FaultyFileSystem system(4);
    auto writer = EventWriter::create(folder.path().toStdString(), {}, system);
    VERIFY_OK(writer);
    SummaryBuilder summary;
    summary.scalar("x", 1);
    VERIFY_ERROR(writer->writeSummary(1, summary), "io.system");
}

CANNERY_TEST(TstEventWriter)
#include "tst_event_writer.moc"
