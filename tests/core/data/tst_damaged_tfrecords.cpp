// SPDX-License-Identifier: Apache-2.0
#include "core/spec/data.pb.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "tests/core/data/record_rows.h"
#include "tests/core/data/tfrecord_folder.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace cannery;
using namespace cannery::data;
using namespace cannery::tests;
using storage::Compression;
using storage::Example;

/// Files and records with wrong bytes: named, or left out as a whole.
class TstDamagedTfrecords : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void damageIsNamedOrLeftOut();
    void readingGoesOnBehindAWrongLength();
    void noFlippedByteIsReadAsAValue();
    void aCutFileIsReadUpToTheCut();
    void aRecordThatBreaksOffLeavesNoEvidence();
    void aCompressedShardWithoutBytesIsAnError();

private:
    TfrecordFolder m_folder;
};

void TstDamagedTfrecords::damageIsNamedOrLeftOut()
{
    const std::string path = m_folder.writeExamples("damaged", manyExamples(100));
    std::string bytes = *storage::readWholeFile(path);
    const std::size_t at = bytes.find("w5"); // of the sixth record
    bytes[at] = 'x';
    VERIFY_OK(storage::writeFileAtomically(path, bytes));
    const auto strict = m_folder.open("files: 'damaged'");
    VERIFY_ERROR(strict, "tfrecord.damaged");
    QVERIFY(strict.error().message().find("record 6 ") != std::string::npos);
    QVERIFY(strict.error().message().find("corrupt: SKIP") != std::string::npos);
    const auto lenient = m_folder.open("files: 'damaged' corrupt: SKIP");
    VERIFY_OK(lenient);
    const auto table = readRecords(**lenient);
    VERIFY_OK(table);
    QCOMPARE(table->rows.size(), std::size_t{99});
    QCOMPARE(table->rows[5], (Strings{"-", "1.5", "w6"}));
    QCOMPARE(table->report.badRowCount, std::uint64_t{1});
}

void TstDamagedTfrecords::readingGoesOnBehindAWrongLength()
{
    std::string bytes;
    for (const Example& example : manyExamples(50)) {
        bytes += storage::frameRecord(storage::serializeExample(example));
    }
    const std::size_t first =
        storage::frameRecord(storage::serializeExample(manyExamples(1)[0])).size();
    bytes[first] ^= '\x40'; // the length of record 1
    VERIFY_OK(storage::writeFileAtomically(m_folder.path("lost"), bytes));
    VERIFY_ERROR(m_folder.open("files: 'lost'"), "tfrecord.damaged");
    const auto table = readRecords(**m_folder.open("files: 'lost' corrupt: SKIP"));
    VERIFY_OK(table);
    QCOMPARE(table->rows.size(), std::size_t{49});
    QCOMPARE(table->rows[1], (Strings{"2", "0.5", "w2"}));
    QCOMPARE(table->report.badRowCount, std::uint64_t{1});
}

void TstDamagedTfrecords::noFlippedByteIsReadAsAValue()
{
    const std::string path = m_folder.writeExamples("flipped", manyExamples(4));
    const std::string good = *storage::readWholeFile(path);
    const Texts expected = readRecords(**m_folder.open("files: 'flipped'"))->rows;
    for (std::size_t at = 0; at < good.size(); ++at) {
        std::string bytes = good;
        bytes[at] ^= '\x21';
        VERIFY_OK(storage::writeFileAtomically(path, bytes));
        const auto strict = m_folder.open("files: 'flipped'");
        QVERIFY(!strict);
        const auto lenient = m_folder.open("files: 'flipped' corrupt: SKIP");
        if (!lenient) {
            QVERIFY(at < 12); // no longer begins as a TFRecord file
            continue;
        }
        const auto table = readRecords(**lenient);
        VERIFY_OK(table);
        QCOMPARE(table->rows.size(), std::size_t{3});
        for (const Strings& row : table->rows) {
            QVERIFY(std::find(expected.begin(), expected.end(), row) != expected.end());
        }
    }
}

void TstDamagedTfrecords::aCutFileIsReadUpToTheCut()
{
    const std::string path = m_folder.writeExamples("cut", manyExamples(3));
    const std::string good = *storage::readWholeFile(path);
    const std::size_t first =
        storage::frameRecord(storage::serializeExample(manyExamples(1)[0])).size();
    for (std::size_t length = first + 1; length < good.size(); ++length) {
        VERIFY_OK(storage::writeFileAtomically(path, good.substr(0, length)));
        const auto strict = m_folder.open("files: 'cut'");
        const auto lenient = m_folder.open("files: 'cut' corrupt: SKIP");
        VERIFY_OK(lenient);
        const auto table = readRecords(**lenient);
        VERIFY_OK(table);
        QVERIFY(!table->rows.empty() && table->rows.size() < 3);
        if (!strict) {
            VERIFY_ERROR(strict, "tfrecord.breaks_off");
            QCOMPARE(table->report.badRowCount, std::uint64_t{1});
        } else {
            QCOMPARE(table->report.badRowCount, std::uint64_t{0});
        }
    }
}

void TstDamagedTfrecords::aRecordThatBreaksOffLeavesNoEvidence()
{
    const std::string good = storage::serializeExample({{{"x", Integers{5}}}});
    // Its first feature can be read, its second one breaks off.
    std::string broken = storage::serializeExample({{{"a", Floats{1, 2}}, {"x", Integers{300}}}});
    broken.back() = '\xff'; // a varint that goes on behind the end
    m_folder.write("broken", {good, broken, good});
    VERIFY_ERROR(m_folder.open("files: 'broken'"), "tfrecord.not_an_example");
    SourceOptions options;
    options.badRows = spec::BadRows::SKIP;
    const auto source = m_folder.open("files: 'broken'", options);
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (Strings{"x"}));
    QCOMPARE((*source)->schema().columns[0].missing, std::uint64_t{0});
    QCOMPARE((*source)->schema().rowsSeen, std::uint64_t{2});
}

void TstDamagedTfrecords::aCompressedShardWithoutBytesIsAnError()
{
    for (const Compression compression : {Compression::Gzip, Compression::Zlib}) {
        m_folder.writeExamples("shard-1", manyExamples(5), compression);
        m_folder.write("shard-0", {});
        VERIFY_ERROR(m_folder.open("files: 'shard-*'"), "tfrecord.lost_shard");
    }
}

CANNERY_TEST(TstDamagedTfrecords)
#include "tst_damaged_tfrecords.moc"
