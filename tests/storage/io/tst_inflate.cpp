// SPDX-License-Identifier: Apache-2.0
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/io/inflate.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::storage;

namespace {

std::string sample()
{
    std::string text;
    for (int i = 0; i < 100000; ++i) {
        text += std::to_string(i * 7919 % 10007) + ",";
    }
    return text;
}

Result<std::string> packed(const std::string& path, Compression compression,
                           const std::string& text)
{
    CANNERY_TRY_ASSIGN(std::unique_ptr<WritableFile> plain, realFileSystem().create(path));
    CANNERY_TRY_ASSIGN(std::unique_ptr<WritableFile> file, packInto(std::move(plain), compression));
    CANNERY_TRY(file->append(text));
    CANNERY_TRY(file->close());
    return readWholeFile(path);
}

Result<std::string> unpacked(std::string bytes, Compression compression)
{
    auto source = [bytes = std::move(bytes), place = std::size_t{0}](
                      std::span<std::byte> out) mutable -> Result<std::size_t> {
        const std::size_t count = std::min({out.size(), bytes.size() - place, std::size_t{1000}});
        std::memcpy(out.data(), bytes.data() + place, count);
        place += count;
        return count;
    };
    InflateReader reader(std::move(source), compression, "test");
    std::string text;
    std::vector<std::byte> chunk(777);
    for (;;) {
        CANNERY_TRY_ASSIGN(const std::size_t got, reader.read(chunk));
        text.append(reinterpret_cast<const char*>(chunk.data()), got);
        if (got < chunk.size()) {
            return text;
        }
    }
}

} // namespace

class TstInflate : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void comesBackAsItWas_data();
    void comesBackAsItWas();
    void severalMembersFollowOneAnother();
    void saysWhenTheStreamBreaksOff();
    void saysWhenTheStreamIsDamaged();
    void opensPackedAndPlainFiles();
};

void TstInflate::comesBackAsItWas_data()
{
    QTest::addColumn<int>("compression");
    QTest::newRow("none") << static_cast<int>(Compression::None);
    QTest::newRow("gzip") << static_cast<int>(Compression::Gzip);
    QTest::newRow("zlib") << static_cast<int>(Compression::Zlib);
}

void TstInflate::comesBackAsItWas()
{
    QFETCH(int, compression);
    const auto kind = static_cast<Compression>(compression);
    const QTemporaryDir folder;
    for (const std::string& text : {std::string(), std::string("a"), sample()}) {
        const auto bytes = packed(folder.filePath("a").toStdString(), kind, text);
        VERIFY_OK(bytes);
        if (!text.empty() && kind != Compression::None) {
            QVERIFY(sniffCompression(std::as_bytes(std::span(*bytes))) == kind);
        }
        const auto back = unpacked(*bytes, kind);
        VERIFY_OK(back);
        QVERIFY(*back == text);
    }
}

void TstInflate::severalMembersFollowOneAnother()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    const auto first = packed(path, Compression::Gzip, "one,");
    const auto second = packed(path, Compression::Gzip, "two");
    const auto back = unpacked(*first + *second, Compression::Gzip);
    VERIFY_OK(back);
    QCOMPARE(*back, std::string("one,two"));
}

void TstInflate::saysWhenTheStreamBreaksOff()
{
    const QTemporaryDir folder;
    const auto bytes = packed(folder.filePath("a").toStdString(), Compression::Gzip, "some text");
    for (std::size_t size = 1; size < bytes->size(); ++size) {
        VERIFY_ERROR(unpacked(bytes->substr(0, size), Compression::Gzip), "io.packed_breaks_off");
    }
}

void TstInflate::saysWhenTheStreamIsDamaged()
{
    const QTemporaryDir folder;
    auto bytes = packed(folder.filePath("a").toStdString(), Compression::Gzip, sample());
    (*bytes)[bytes->size() / 2] ^= 1;
    VERIFY_ERROR(unpacked(*bytes, Compression::Gzip), "io.packed_damaged");
}

void TstInflate::opensPackedAndPlainFiles()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    for (const Compression compression : {Compression::None, Compression::Gzip}) {
        VERIFY_OK(packed(path, compression, "x,y\n1,2\n"));
        auto reader = InflateReader::openGzipOrPlain(path);
        VERIFY_OK(reader);
        std::vector<std::byte> text(100);
        QCOMPARE(*reader->read(text), std::size_t{8});
    }
    VERIFY_ERROR(InflateReader::openGzipOrPlain(path + "x"), "io.system");
}

CANNERY_TEST(TstInflate)
#include "tst_inflate.moc"
