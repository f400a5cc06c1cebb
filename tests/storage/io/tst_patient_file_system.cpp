// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/io/patient_file_system.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <functional>
#include <string>
#include <vector>

using namespace cannery;
using namespace cannery::storage;

namespace {

/// Writes to it fail for lack of room.
constexpr const char* kFullDevice = "/dev/full";

/// Says so often to try again; remembers what it was told.
struct Waiter
{
    explicit Waiter(int tries) : left(tries) {}
    bool operator()(const Error& noRoom)
    {
        reported.push_back(noRoom.sentence);
        return left-- > 0;
    }
    int left;
    std::vector<std::string> reported;
};

} // namespace

/// A file system that waits for room.
class TstPatientFileSystem : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesAsTheRealOne();
    void asksUntilItMayNotTryAgain();
    void asksNobodyForOtherReasons();
};

void TstPatientFileSystem::writesAsTheRealOne()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("file").toStdString();
    Waiter waiter(0);
    const auto system = patientFileSystem(std::ref(waiter));
    auto file = system->create(path);
    VERIFY_OK(file);
    const std::string large(100'000, 'a');
    VERIFY_OK((*file)->append(std::string_view("begin ")));
    VERIFY_OK((*file)->append(large));
    VERIFY_OK((*file)->sync());
    VERIFY_OK((*file)->close());
    VERIFY_OK(system->rename(path, path + ".done"));
    const auto content = readWholeFile(path + ".done");
    VERIFY_OK(content);
    QVERIFY(*content == "begin " + large);
    QVERIFY(waiter.reported.empty());
}

void TstPatientFileSystem::asksUntilItMayNotTryAgain()
{
    Waiter waiter(3);
    const auto system = patientFileSystem(std::ref(waiter));
    auto file = system->openForAppend(kFullDevice);
    VERIFY_OK(file);
    VERIFY_OK((*file)->append(std::string_view("text")));
    const Result<void> flushed = (*file)->flush();
    VERIFY_ERROR(flushed, "io.system");
    QCOMPARE(waiter.reported.size(), std::size_t{4});
    QVERIFY2(waiter.reported.front().find("No space left on device") != std::string::npos,
             waiter.reported.front().c_str());
}

void TstPatientFileSystem::asksNobodyForOtherReasons()
{
    const QTemporaryDir folder;
    Waiter waiter(1000);
    const auto system = patientFileSystem(std::ref(waiter));
    VERIFY_ERROR(system->create(folder.filePath("none/file").toStdString()), "io.system");
    VERIFY_ERROR(system->rename(folder.filePath("none").toStdString(),
                                folder.filePath("other").toStdString()),
                 "io.system");
    QVERIFY(waiter.reported.empty());
}

CANNERY_TEST(TstPatientFileSystem)
#include "tst_patient_file_system.moc"
