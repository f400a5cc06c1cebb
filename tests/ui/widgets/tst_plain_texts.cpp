// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/opened_files.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/widgets/button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/markdown_label.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QDir>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTextDocument>
#include <QToolTip>

#include <algorithm>
#include <memory>

using namespace cannery::ui;
using cannery::tests::kPatience;
using cannery::tests::OpenedFiles;

/// Names and notes from someone else's project are shown, never interpreted: nothing that they name
/// is opened.
class TstPlainTexts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, {});
        QFile canary(m_folder.filePath("canary.png"));
        QVERIFY(canary.open(QIODevice::WriteOnly));
        m_image = QString("<img src='file://%1'>").arg(canary.fileName());
    }

    void theWatchSeesWhatQtOpens();
    void labelsShowNamesAsTheyAre();
    void sentencesOfAMirroredWindowEndAtTheirEnd_data();
    void sentencesOfAMirroredWindowEndAtTheirEnd();
    void linksKeepOnlyLinks();
    void toolTipsArePlainAndNoWiderThanTheScreen();
    void qtsOwnDialogsArePlain();
    void notesAreMarkdownThatLoadsNothing_data();
    void notesAreMarkdownThatLoadsNothing();
    void linksOfNotesLeadToTheWebOnly();
    void hugeAndDeepNotesAreShownPlain_data();
    void hugeAndDeepNotesAreShownPlain();

private:
    QTemporaryDir m_folder;
    QString m_image;
};

/// Otherwise the tests below could not fail.
void TstPlainTexts::theWatchSeesWhatQtOpens()
{
    const OpenedFiles watch(m_folder.path());
    QLabel label;
    label.setTextFormat(Qt::RichText);
    label.setText(m_image);
    label.adjustSize();
    label.show();
    label.grab();
    QCOMPARE(watch.names(), QStringList{"canary.png"});
}

void TstPlainTexts::labelsShowNamesAsTheyAre()
{
    const OpenedFiles watch(m_folder.path());
    Label label(m_image);
    ElidedLabel elided(m_image);
    QLabel bare(m_image);
    for (QLabel* one : {static_cast<QLabel*>(&label), static_cast<QLabel*>(&elided), &bare}) {
        one->adjustSize();
        one->show();
        one->grab();
        QCOMPARE(one->textFormat(), Qt::PlainText);
        QCOMPARE(one->text(), m_image);
    }
    QCOMPARE(watch.names(), QStringList());
}

void TstPlainTexts::sentencesOfAMirroredWindowEndAtTheirEnd_data()
{
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"label", "wrapped", "elided", "links", "button", "stock button"}) {
        QTest::newRow(kind) << QString(kind);
    }
}

/// The same picture as in a window from left to right.
void TstPlainTexts::sentencesOfAMirroredWindowEndAtTheirEnd()
{
    QFETCH(QString, kind);
    const QString sentence("Nothing is lost (so far).");
    const auto made = [&]() -> std::unique_ptr<QWidget> {
        if (kind == "button") {
            return std::make_unique<Button>(Button::Kind::Plain, sentence);
        }
        if (kind == "stock button") {
            return std::make_unique<QPushButton>(sentence);
        }
        if (kind == "links") {
            return std::make_unique<LinkLabel>(sentence);
        }
        std::unique_ptr<Label> label = std::make_unique<Label>(sentence);
        if (kind == "elided") {
            label = std::make_unique<ElidedLabel>(sentence);
        }
        label->setWordWrap(kind == "wrapped");
        return label;
    };
    const auto picture = [&](Qt::LayoutDirection direction) {
        const auto widget = made();
        if (auto* label = qobject_cast<ElidedLabel*>(widget.get())) {
            const bool isUsual = direction == Qt::LeftToRight;
            label->setAlignment(isUsual ? Qt::AlignRight : Qt::AlignLeft); // mirrored: right
        }
        widget->setLayoutDirection(direction);
        widget->resize(std::max(widget->sizeHint().width(), 200), 40);
        return widget->grab().toImage();
    };
    const QImage mirrored = picture(Qt::RightToLeft);
    const QString folder = QStringLiteral(CANNERY_BINARY_DIR "/screenshots/widgets");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(mirrored.save(QString("%1/mirrored-%2.png").arg(folder, kind)));
    QCOMPARE(mirrored, picture(Qt::LeftToRight));
}

void TstPlainTexts::linksKeepOnlyLinks()
{
    const OpenedFiles watch(m_folder.path());
    LinkLabel link(m_image + " <a href=\"page:data\">Data page</a>");
    QVERIFY(link.text().startsWith("&lt;img src="));
    QVERIFY(link.text().endsWith("<a href=\"page:data\">Data page</a>"));
    Strip strip;
    strip.setMessage(Strip::Level::Error, m_image, m_image);
    QCOMPARE(strip.text(), m_image);
    QCOMPARE(strip.accessibleName(), m_image + ' ' + m_image);
    for (QWidget* one : {static_cast<QWidget*>(&link), static_cast<QWidget*>(&strip)}) {
        one->adjustSize();
        one->show();
        one->grab();
    }
    QCOMPARE(watch.names(), QStringList());
}

void TstPlainTexts::toolTipsArePlainAndNoWiderThanTheScreen()
{
    const OpenedFiles watch(m_folder.path());
    QPushButton button("Column");
    button.show();
    const QString name = m_image + QString(" and so on").repeated(10'000);
    QToolTip::showText(button.mapToGlobal(QPoint(2, 2)), name, &button);
    const auto tip = []() -> QLabel* {
        for (QWidget* widget : QApplication::topLevelWidgets()) {
            if (widget->inherits("QTipLabel") && widget->isVisible()) {
                return qobject_cast<QLabel*>(widget);
            }
        }
        return nullptr;
    };
    QTRY_VERIFY_WITH_TIMEOUT(tip(), kPatience);
    QCOMPARE(tip()->textFormat(), Qt::PlainText);
    QVERIFY(tip()->text().startsWith(m_image));
    QVERIFY2(tip()->width() <= 960, qPrintable(QString::number(tip()->width())));
    QVERIFY2(tip()->height() <= 600, qPrintable(QString::number(tip()->height())));
    QToolTip::showText(button.mapToGlobal(QPoint(2, 2)), "short", &button);
    QTRY_COMPARE_WITH_TIMEOUT(tip() ? tip()->text() : QString(), QString("short"), kPatience);
    QVERIFY(tip()->width() < 200);
    QToolTip::hideText();
    QCOMPARE(watch.names(), QStringList());
}

void TstPlainTexts::qtsOwnDialogsArePlain()
{
    const OpenedFiles watch(m_folder.path());
    QMessageBox box(QMessageBox::Warning, "File", m_image + " already exists.");
    box.show();
    box.grab();
    auto* words = box.findChild<QLabel*>("qt_msgbox_label");
    QVERIFY(words);
    QCOMPARE(words->textFormat(), Qt::PlainText);
    QCOMPARE(watch.names(), QStringList());
}

void TstPlainTexts::notesAreMarkdownThatLoadsNothing_data()
{
    const QString canary = "file://" + m_folder.filePath("canary.png");
    QTest::addColumn<QString>("markdown");
    QTest::addColumn<QString>("shown");
    QTest::newRow("picture") << QString("Look: ![x](%1)").arg(canary)
                             << QString("Look: [picture: %1]").arg(canary);
    QTest::newRow("picture by reference")
        << QString("![x][r]\n\n[r]: %1").arg(canary) << QString("[picture: %1]").arg(canary);
    QTest::newRow("picture in a link") << QString("[![x](%1)](https://example.org)").arg(canary)
                                       << QString("[picture: %1]").arg(canary);
    QTest::newRow("HTML") << m_image << m_image;
    QTest::newRow("style")
        << QString("<div style=\"background-image:url(%1)\">a</div>").arg(canary)
        << QString("<div style=\"background-image:url(%1)\">a</div>").arg(canary);
    QTest::newRow("emphasis") << "**bold** and `code`"
                              << "bold and code";
}

void TstPlainTexts::notesAreMarkdownThatLoadsNothing()
{
    QFETCH(QString, markdown);
    const OpenedFiles watch(m_folder.path());
    MarkdownLabel label;
    label.setMarkdown(markdown);
    label.resize(400, 200);
    label.show();
    label.grab();
    QCOMPARE(label.textFormat(), Qt::RichText);
    QVERIFY2(!label.text().contains("<img"), qPrintable(label.text()));
    QTextDocument read;
    read.setHtml(label.text());
    QTEST(read.toPlainText().trimmed(), "shown");
    QCOMPARE(watch.names(), QStringList());
}

void TstPlainTexts::linksOfNotesLeadToTheWebOnly()
{
    MarkdownLabel label;
    label.setMarkdown("[paper](https://example.org/a) [mine](file:///etc/passwd) "
                      "[code](javascript:alert) <mailto:a@example.org>");
    QCOMPARE(label.text().count("<a href="), 2);
    QVERIFY(label.text().contains("<a href=\"https://example.org/a\""));
    QVERIFY(label.text().contains("<a href=\"mailto:a@example.org\""));
    QVERIFY(!label.text().contains("passwd"));
    QCOMPARE(label.focusPolicy(), Qt::TabFocus);
}

void TstPlainTexts::hugeAndDeepNotesAreShownPlain_data()
{
    QTest::addColumn<QString>("markdown");
    QTest::newRow("a megabyte") << QString("word ").repeated(200'000);
    QTest::newRow("quotes in quotes") << QString("> ").repeated(5000) + "a";
    QTest::newRow("quotes without room") << QString(9000, '>') + "a";
    QTest::newRow("lists in lists") << QString("- ").repeated(5000) + "a";
    QTest::newRow("numbers in numbers") << QString("1. ").repeated(3000) + "a";
    QString stairs;
    for (int depth = 0; depth < 150; ++depth) {
        stairs += QString(2 * depth, ' ') + "- a\n";
    }
    QTest::newRow("stairs") << stairs.left(MarkdownLabel::kLongest);
}

void TstPlainTexts::hugeAndDeepNotesAreShownPlain()
{
    QFETCH(QString, markdown);
    MarkdownLabel label;
    label.setMarkdown(markdown);
    QCOMPARE(label.textFormat(), Qt::PlainText);
    QCOMPARE(label.text(), markdown.left(MarkdownLabel::kLongest));
}

CANNERY_TEST(TstPlainTexts)
#include "tst_plain_texts.moc"
