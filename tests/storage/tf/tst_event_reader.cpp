// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/tf/events/event_reader.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

#include <QCryptographicHash>
#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::storage;
using nlohmann::json;

namespace {

const std::string kEventGoldens = CANNERY_SOURCE_DIR "/tests/golden/event/";
const std::string kSmall = "hparams/trial_0/events.out.tfevents.1700000000.host.v2";

/// "NaN" and "Infinity" are strings in the manifest.
bool isNumber(float actual, const json& expected)
{
    if (expected.is_string()) {
        const float infinity = std::numeric_limits<float>::infinity();
        return expected == "NaN" ? std::isnan(actual)
                                 : actual == (expected == "Infinity" ? infinity : -infinity);
    }
    return actual == expected.get<float>();
}

bool isHistogram(const EventHistogram& actual, const json& about)
{
    std::vector<double> limits;
    std::vector<double> counts;
    for (const Histogram::Bucket& bucket : actual.buckets) {
        limits.push_back(bucket.limit);
        counts.push_back(bucket.count);
    }
    return actual.min == about["min"] && actual.max == about["max"] &&
           actual.count == about["num"] && actual.sum == about["sum"] &&
           actual.sumSquares == about["sum_squares"] && json(limits) == about["bucket_limit"] &&
           json(counts) == about["bucket"];
}

bool isRows(const EventHistogram& actual, const json& tensor)
{
    if (static_cast<std::int64_t>(actual.buckets.size()) != tensor["shape"][0]) {
        return false;
    }
    for (std::size_t i = 0; tensor.contains("value") && i < actual.buckets.size(); ++i) {
        const json& row = tensor["value"][i];
        if (actual.buckets[i].limit != row[1] || actual.buckets[i].count != row[2]) {
            return false;
        }
    }
    return true;
}

std::string sha256(std::string_view bytes)
{
    const QByteArray view(bytes.data(), static_cast<qsizetype>(bytes.size()));
    return QCryptographicHash::hash(view, QCryptographicHash::Sha256).toHex().toStdString();
}

bool hasContent(const HostTensor& actual, const json& about)
{
    if (actual.dtype != DType::String) {
        return sha256({reinterpret_cast<const char*>(actual.bytes.data()), actual.bytes.size()}) ==
               about["sha256"].get<std::string>();
    }
    json texts = json::array();
    for (const std::string& text : actual.strings) {
        texts.push_back(QByteArray::fromStdString(text).toBase64().toStdString());
    }
    return texts == about["value"] && about["encoding"] == "base64";
}

bool isValue(const EventValue& actual, const json& about)
{
    if (actual.tag != about["tag"].get<std::string>()) {
        return false;
    }
    if (const auto* number = std::get_if<float>(&actual.value)) {
        return isNumber(*number, about.contains("simple_value") ? about["simple_value"]
                                                                : about["tensor"]["value"]);
    }
    if (const auto* histogram = std::get_if<EventHistogram>(&actual.value)) {
        return about.contains("histo") ? isHistogram(*histogram, about["histo"])
                                       : isRows(*histogram, about["tensor"]);
    }
    if (const auto* tensor = std::get_if<HostTensor>(&actual.value)) {
        return name(tensor->dtype) == about["tensor"]["dtype"].get<std::string>() &&
               json(tensor->shape.dims) == about["tensor"]["shape"] &&
               hasContent(*tensor, about["tensor"]);
    }
    const auto* blob = std::get_if<EventBlob>(&actual.value);
    return blob != nullptr && about["value"] == blob->kind &&
           sha256(blob->encoded) == about[blob->kind]["sha256"].get<std::string>();
}

void appendBytes(const std::string& path, std::string_view bytes)
{
    auto file = realFileSystem().openForAppend(path);
    static_cast<void>((*file)->append(bytes));
    static_cast<void>((*file)->close());
}

} // namespace

class TstEventReader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eventsOfTensorFlowComeBack_data();
    void eventsOfTensorFlowComeBack();
    void waitsForTheRestOfARecord();
    void goesOnFromAPosition();
    void everyFlippedByteIsReported();
};

void TstEventReader::eventsOfTensorFlowComeBack_data()
{
    QTest::addColumn<std::string>("file");
    const json manifest =
        json::parse(*readWholeFile(kEventGoldens + "manifest.json"), nullptr, false);
    for (const auto& [file, events] : manifest.items()) {
        QTest::newRow(file.c_str()) << file;
    }
}

void TstEventReader::eventsOfTensorFlowComeBack()
{
    QFETCH(std::string, file);
    const json manifest =
        json::parse(*readWholeFile(kEventGoldens + "manifest.json"), nullptr, false);
    auto reader = EventReader::open(kEventGoldens + file);
    VERIFY_OK(reader);
    for (const json& about : manifest[file]) {
        const auto event = reader->next();
        VERIFY_OK(event);
        QVERIFY(event->has_value());
        QCOMPARE((*event)->wallTime, about["wall_time"].get<double>());
        QCOMPARE((*event)->step, about["step"].get<std::int64_t>());
        const json values = about.value("values", json::array());
        QCOMPARE((*event)->values.size(), values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            QVERIFY2(isValue((*event)->values[i], values[i]), values[i].dump().c_str());
        }
    }
    QVERIFY(!reader->next()->has_value());
    QCOMPARE(reader->position(), *fileSize(kEventGoldens + file));
}

void TstEventReader::waitsForTheRestOfARecord()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    const std::string bytes = *readWholeFile(kEventGoldens + kSmall);
    appendBytes(path, "");
    auto reader = EventReader::open(path);
    VERIFY_OK(reader);
    std::size_t events = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        QVERIFY(!reader->next()->has_value());
        QCOMPARE(reader->hasPartialRecord(), reader->position() < i);
        appendBytes(path, bytes.substr(i, 1));
        const auto event = reader->next();
        VERIFY_OK(event);
        events += event->has_value() ? 1 : 0;
    }
    QCOMPARE(events, std::size_t{4});
    QCOMPARE(reader->position(), bytes.size());
}

void TstEventReader::goesOnFromAPosition()
{
    auto reader = EventReader::open(kEventGoldens + kSmall);
    for (int i = 0; i < 3; ++i) {
        VERIFY_OK(reader->next());
    }
    auto later = EventReader::open(kEventGoldens + kSmall, reader->position());
    VERIFY_OK(later);
    const auto event = later->next();
    VERIFY_OK(event);
    QCOMPARE((*event)->values.front().tag, std::string("accuracy"));
}

void TstEventReader::everyFlippedByteIsReported()
{
    const QTemporaryDir folder;
    const std::string bytes = *readWholeFile(kEventGoldens + kSmall);
    QVERIFY(bytes.size() > 50);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::string path = folder.filePath(QString::number(i)).toStdString();
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x21);
        appendBytes(path, damaged);
        auto reader = EventReader::open(path);
        auto event = reader->next();
        while (event && *event) {
            event = reader->next();
        }
        VERIFY_ERROR(event, "events.damaged");
        QVERIFY(reader->position() <= i);
        VERIFY_ERROR(reader->next(), "events.damaged");
    }
}

CANNERY_TEST(TstEventReader)
#include "tst_event_reader.moc"
