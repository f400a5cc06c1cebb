// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/services/outside.h"
#include "ui/services/table_lines.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

using namespace cannery::ui;
using cannery::tests::kPatience;

/// Files and addresses passed to the desktop, which may have no program for them.
class TstOutside : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { qputenv("PATH", m_path); }
    void whatOpensSaysNothing();
    void whatNothingOpensSaysSo();
    void whatIsGoneSaysSo();
    void programsAreNotStarted_data();
    void programsAreNotStarted();
    void aLineIsShownWithItsNeighbours();
    void onlyFilesOfTextAreShown();

private:
    void installOpener(int exitCode) const;
    QString write(const QString& name, const QByteArray& text) const;
    std::optional<QString> open(const QString& path);
    QByteArray opened() const;

    QByteArray m_path;
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstOutside::init()
{
    m_path = qgetenv("PATH");
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("PATH", m_folder->path().toUtf8() + ':' + m_path);
}

QString TstOutside::write(const QString& name, const QByteArray& text) const
{
    QFile file(m_folder->filePath(name));
    if (!file.open(QIODevice::WriteOnly)) {
        qFatal("cannot write %s", qPrintable(name));
    }
    file.write(text);
    return file.fileName();
}

/// An xdg-open that records its arguments.
void TstOutside::installOpener(int exitCode) const
{
    const QString program = write("xdg-open", QString("#!/bin/sh\necho \"$1\" > '%1'\nexit %2\n")
                                                  .arg(m_folder->filePath("opened"))
                                                  .arg(exitCode)
                                                  .toUtf8());
    QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

QByteArray TstOutside::opened() const
{
    QFile file(m_folder->filePath("opened"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed() : QByteArray();
}

std::optional<QString> TstOutside::open(const QString& path)
{
    std::optional<QString> reported;
    openOutside(this, path, [&reported](const QString& problem) { reported = problem; });
    return QTest::qWaitFor([&reported] { return reported.has_value(); }, kPatience) ? reported
                                                                                    : std::nullopt;
}

void TstOutside::whatOpensSaysNothing()
{
    installOpener(0);
    const QString file = write("titanic.cannery", "name: \"a\"\n");
    QCOMPARE(open(file), std::optional(QString()));
    QCOMPARE(opened(), file.toUtf8());
}

void TstOutside::whatNothingOpensSaysSo()
{
    installOpener(3);
    const QString file = write("titanic.cannery", "name: \"a\"\n");
    QCOMPARE(open(file),
             std::optional(
                 QString("No program is set to open %1. Set one for this "
                         "file type in the desktop's settings (xdg-mime), or open it manually.")
                     .arg(file)));
}

void TstOutside::whatIsGoneSaysSo()
{
    installOpener(0);
    const QString file = m_folder->filePath("gone.csv");
    QCOMPARE(open(file), std::optional(QString("%1 no longer exists.").arg(file)));
    QCOMPARE(opened(), QByteArray());
}

void TstOutside::programsAreNotStarted_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("executable");
    QTest::newRow("starter") << "table.desktop" << false;
    QTest::newRow("STARTER") << "table.DESKTOP" << false;
    QTest::newRow("script") << "table.csv" << true;
}

void TstOutside::programsAreNotStarted()
{
    QFETCH(QString, name);
    QFETCH(bool, executable);
    installOpener(0);
    const QString file = write(name, "[Desktop Entry]\nExec=touch /tmp/x\n");
    if (executable) {
        QFile::setPermissions(file, QFile::ReadOwner | QFile::ExeOwner);
    }
    QCOMPARE(open(file),
             std::optional(QString("%1 is a program, which is not started from here; open "
                                   "it with an editor of your choice.")
                               .arg(file)));
    QCOMPARE(opened(), QByteArray());
}

void TstOutside::aLineIsShownWithItsNeighbours()
{
    QByteArray text = "a,b\r\n";
    for (int i = 2; i <= 20; ++i) {
        text += QByteArray::number(i) + ",x\r\n";
    }
    const QString file = write("table.csv", text + QByteArray(5'000'000, 'y') + ",z");
    const TableLines middle = readTableLines(file, 10);
    QCOMPARE(middle.first, 7);
    QCOMPARE(middle.lines, (QStringList{"7,x", "8,x", "9,x", "10,x", "11,x", "12,x", "13,x"}));
    QCOMPARE(middle.header, QString("a,b"));
    QCOMPARE(readTableLines(file, 1).lines, (QStringList{"a,b", "2,x", "3,x", "4,x"}));
    const TableLines last = readTableLines(file, 21);
    QCOMPARE(last.lines.size(), 4);
    QCOMPARE(last.lines.last(), QString(1000, 'y') + "…");
    QCOMPARE(readTableLines(file, 500).lines, QStringList());
}

void TstOutside::onlyFilesOfTextAreShown()
{
    QCOMPARE(readTableLines("/dev/zero", 3).problem,
             QString("The lines of /dev/zero cannot be shown: it is not a regular file."));
    QCOMPARE(readTableLines(write("a.csv.gz", "\x1f\x8b\x08"), 3).problem,
             QString("The file is compressed; unpack it to see its lines."));
}

CANNERY_TEST(TstOutside)
#include "tst_outside.moc"
