// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/journal.h"
#include "storage/io/files.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::parameters;

class TstJournal : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hasNothingAtFirst();
    void bringsBackASnapshotAndWhatCameAfterIt();
    void aNewSnapshotBeginsANewLog();
    void aTornEventIsIgnored();
    void aDamagedEventIsIgnoredWithWhatFollows();
    void aSnapshotThatCannotBePublishedLeavesTheOldOneWithItsLog();
    void everyDamagedByteOfASnapshotIsFound();
    void removesItsFiles();
};

namespace {

class Folder
{
public:
    std::string path() const { return m_folder.filePath("parameters").toStdString(); }
    Journal journal() const { return Journal(path(), 1, storage::realFileSystem()); }
    QString file(const char* name) const { return m_folder.filePath("parameters/") + name; }

private:
    QTemporaryDir m_folder;
};

const std::vector<std::byte> kContents{std::byte{1}, std::byte{2}, std::byte{3}};

Journal::Event changesOf(std::uint64_t session)
{
    Journal::Event event{.kind = Journal::Event::Kind::Changed};
    event.changes.mutable_setup()->set_session(session);
    event.payload = {std::byte{8}};
    return event;
}

Result<void> save(Journal& journal, std::uint64_t session,
                  std::span<const std::byte> contents = kContents)
{
    CANNERY_TRY(journal.begin());
    for (std::size_t at = 0; at < contents.size(); at += 2) {
        CANNERY_TRY(
            journal.add(contents.subspan(at, std::min<std::size_t>(2, contents.size() - at))));
    }
    return journal.commit(changesOf(session));
}

Journal::Event eventOf(std::int64_t sequence)
{
    Journal::Event event{.rank = 2, .incarnation = 9};
    event.push.set_sequence(sequence);
    event.payload = {std::byte{7}};
    return event;
}

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

} // namespace

void TstJournal::hasNothingAtFirst()
{
    const Folder folder;
    Journal journal = folder.journal();
    const auto content = journal.load();
    VERIFY_OK(content);
    QVERIFY(!*content);
}

void TstJournal::bringsBackASnapshotAndWhatCameAfterIt()
{
    const Folder folder;
    Journal journal = folder.journal();
    VERIFY_OK(save(journal, 5));
    VERIFY_OK(journal.append({.kind = Journal::Event::Kind::Entered, .rank = 2, .incarnation = 9}));
    VERIFY_OK(journal.append(eventOf(1)));
    VERIFY_OK(journal.append(changesOf(5)));
    const auto content = folder.journal().load();
    VERIFY_OK(content);
    QVERIFY(content->has_value());
    QCOMPARE((*content)->ignoredBytes, std::uint64_t{0});
    QCOMPARE((*content)->changes.changes.setup().session(), std::uint64_t{5});
    QCOMPARE((*content)->contents, kContents);
    QCOMPARE((*content)->changes.payload, changesOf(5).payload);
    QCOMPARE((*content)->events.size(), std::size_t{3});
    QCOMPARE((*content)->events[0].kind, Journal::Event::Kind::Entered);
    QCOMPARE((*content)->events[1].rank, 2);
    QCOMPARE((*content)->events[1].incarnation, std::uint64_t{9});
    QCOMPARE((*content)->events[1].push.sequence(), std::int64_t{1});
    QCOMPARE((*content)->events[1].payload, eventOf(1).payload);
    QCOMPARE((*content)->events[2].kind, Journal::Event::Kind::Changed);
    QCOMPARE((*content)->events[2].changes.setup().session(), std::uint64_t{5});
    QCOMPARE((*content)->events[2].payload, changesOf(5).payload);
}

void TstJournal::aNewSnapshotBeginsANewLog()
{
    const Folder folder;
    Journal journal = folder.journal();
    VERIFY_OK(save(journal, 5));
    VERIFY_OK(journal.append(eventOf(1)));
    VERIFY_OK(save(journal, 6, {}));
    VERIFY_OK(journal.append(eventOf(2)));
    const auto content = folder.journal().load();
    VERIFY_OK(content);
    QCOMPARE((*content)->changes.changes.setup().session(), std::uint64_t{6});
    QVERIFY((*content)->contents.empty());
    QCOMPARE((*content)->events.size(), std::size_t{1});
    QCOMPARE((*content)->events[0].push.sequence(), std::int64_t{2});
    QCOMPARE(QDir(QString::fromStdString(folder.path())).entryList(QDir::Files).size(), 2);
}

void TstJournal::aTornEventIsIgnored()
{
    const Folder folder;
    Journal journal = folder.journal();
    VERIFY_OK(save(journal, 5));
    VERIFY_OK(journal.append(eventOf(1)));
    const QByteArray one = bytesOf(folder.file("ps-1.1.log"));
    VERIFY_OK(journal.append(eventOf(2)));
    const QByteArray two = bytesOf(folder.file("ps-1.1.log"));
    QVERIFY(two.size() > one.size());
    for (qsizetype size = one.size(); size < two.size(); ++size) {
        QVERIFY(write(folder.file("ps-1.1.log"), two.first(size)));
        const auto content = folder.journal().load();
        VERIFY_OK(content);
        QCOMPARE((*content)->events.size(), std::size_t{1});
        QCOMPARE((*content)->ignoredBytes, static_cast<std::uint64_t>(size - one.size()));
    }
}

void TstJournal::aDamagedEventIsIgnoredWithWhatFollows()
{
    const Folder folder;
    Journal journal = folder.journal();
    VERIFY_OK(save(journal, 5));
    VERIFY_OK(journal.append(changesOf(5)));
    const qsizetype first = bytesOf(folder.file("ps-1.1.log")).size();
    VERIFY_OK(journal.append(changesOf(5)));
    const qsizetype second = bytesOf(folder.file("ps-1.1.log")).size();
    VERIFY_OK(journal.append(eventOf(2)));
    const QByteArray whole = bytesOf(folder.file("ps-1.1.log"));
    for (qsizetype at = first; at < second; ++at) {
        QByteArray damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
        QVERIFY(write(folder.file("ps-1.1.log"), damaged));
        const auto content = folder.journal().load();
        VERIFY_OK(content);
        QCOMPARE((*content)->events.size(), std::size_t{1});
        QCOMPARE((*content)->ignoredBytes, static_cast<std::uint64_t>(whole.size() - first));
    }
}

void TstJournal::aSnapshotThatCannotBePublishedLeavesTheOldOneWithItsLog()
{
    const Folder folder;
    Journal journal = folder.journal();
    VERIFY_OK(save(journal, 5));
    VERIFY_OK(journal.append(eventOf(1)));
    QVERIFY(QDir().mkpath(folder.file("ps-1.2.log"))); // where the next log would be
    QVERIFY(!save(journal, 6));
    VERIFY_OK(journal.append(eventOf(2)));
    const auto content = folder.journal().load();
    VERIFY_OK(content);
    QCOMPARE((*content)->changes.changes.setup().session(), std::uint64_t{5});
    QCOMPARE((*content)->events.size(), std::size_t{2});
}

void TstJournal::everyDamagedByteOfASnapshotIsFound()
{
    const Folder folder;
    Journal journal = folder.journal();
    VERIFY_OK(save(journal, 5));
    const QByteArray whole = bytesOf(folder.file("ps-1.snapshot"));
    for (qsizetype at = 0; at < whole.size(); ++at) {
        QByteArray damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
        QVERIFY(write(folder.file("ps-1.snapshot"), damaged));
        VERIFY_ERROR(folder.journal().load(), "parameters.damaged_snapshot");
    }
    for (qsizetype size = 0; size < whole.size(); ++size) {
        QVERIFY(write(folder.file("ps-1.snapshot"), whole.first(size)));
        VERIFY_ERROR(folder.journal().load(), "parameters.damaged_snapshot");
    }
}

void TstJournal::removesItsFiles()
{
    const Folder folder;
    Journal journal = folder.journal();
    VERIFY_OK(save(journal, 5));
    journal.remove();
    QVERIFY(!QDir(QString::fromStdString(folder.path())).exists());
}

CANNERY_TEST(TstJournal)
#include "tst_journal.moc"
