// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/table_trouble_view.h"

#include "ui/document/field_schema.h"
#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHash>
#include <QPainter>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr int kWayWidth = 300;

/// One line of the file: its number and its text; the bad one on the error colour.
class LineRow : public QWidget
{
public:
    LineRow(qint64 number, const QString& text, bool isBad, QWidget* parent)
        : QWidget(parent), m_isBad(isBad)
    {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(scaled(12), scaled(4), scaled(8), scaled(4));
        row->setSpacing(scaled(20));
        auto* place =
            new Label(formatCount(number), TextRole::Code, isBad ? Ink::Error : Ink::Secondary);
        place->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        place->setMinimumWidth(scaled(64));
        auto* words = new ElidedLabel(text, TextRole::Code);
        row->addWidget(place);
        row->addWidget(words, 1);
        setObjectName(isBad ? "line.bad" : "line");
        setAccessibleName(TableTroubleView::tr("Line %1: %2").arg(formatCount(number), text));
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        if (m_isBad) {
            QPainter painter(this);
            painter.fillRect(rect(), tokens().errBg);
            const QRect bar(0, 0, scaled(3), height());
            painter.fillRect(QStyle::visualRect(layoutDirection(), rect(), bar), tokens().err);
        }
    }

private:
    bool m_isBad;
};

/// A sunken box with code.
class CodeBox : public Label
{
public:
    explicit CodeBox(QWidget* parent = nullptr) : Label({}, TextRole::Code, Ink::Text, parent)
    {
        setContentsMargins(scaled(10), scaled(8), scaled(10), scaled(8));
        setWordWrap(true);
    }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        QPainter painter(this);
        paintSurface(painter, rect(), 6, tokens().sunken);
        painter.end();
        Label::paintEvent(event);
    }
};

} // namespace

TableTroubleView::TableTroubleView(QWidget* parent)
    : QWidget(parent), m_lineCard(new Card(tr("Lines"))), m_lineRows(new QVBoxLayout),
      m_waysTitle(new Label(tr("How to continue"), TextRole::Section)), m_ways(new AdaptiveRow),
      m_delimiters(new QComboBox), m_encodings(new QComboBox),
      m_note(new Label({}, TextRole::Label, Ink::Secondary))
{
    setObjectName("table_trouble");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(14));
    m_lineCard->setObjectName("card.lines");
    m_lineRows->setSpacing(0);
    m_lineCard->body()->addLayout(m_lineRows);
    column->addWidget(m_lineCard);
    column->addWidget(m_waysTitle);
    m_skip = addWay("skip", tr("Skip bad lines"), tr("Skip Bad Lines"));
    m_delimiter = addWay("delimiter", tr("Change the delimiter"), tr("Use This Delimiter"));
    m_encoding = addWay("encoding", tr("Change the encoding"), tr("Use This Encoding"));
    m_locate = addWay("locate", tr("Choose another file"), tr("Locate…"));
    m_delimiters->setObjectName("field.delimiter");
    m_delimiters->setAccessibleName(tr("Delimiter"));
    for (const QChar delimiter : {u',', u';', u'\t', u'|'}) {
        m_delimiters->addItem(delimiterName(delimiter), QString(delimiter));
    }
    m_delimiter.card->body()->insertWidget(2, m_delimiters);
    m_delimiter.title->setBuddy(m_delimiters);
    addEncodings();
    column->addWidget(m_ways);
    m_note->setWordWrap(true);
    column->addWidget(m_note);
    column->addStretch(1);
    connect(m_skip.button, &QPushButton::clicked, this, &TableTroubleView::skipWanted);
    connect(m_encoding.button, &QPushButton::clicked, this,
            [this] { Q_EMIT encodingWanted(m_encodings->currentData().toString()); });
    connect(m_locate.button, &QPushButton::clicked, this, &TableTroubleView::locateWanted);
    connect(m_delimiters, &QComboBox::currentIndexChanged, this, &TableTroubleView::showDelimiter);
    connect(m_delimiter.button, &QPushButton::clicked, this,
            [this] { Q_EMIT delimiterWanted(m_delimiters->currentData().toString().at(0)); });
    m_skip.words->setText(tr("Skips every line that cannot be read, and counts them."));
    m_encoding.words->setText(tr("Reads the file in the encoding in which it was saved."));
}

/// Those of the schema, under the names by which people know them.
void TableTroubleView::addEncodings()
{
    m_encodings->setObjectName("field.encoding");
    m_encodings->setAccessibleName(tr("Encoding"));
    const QHash<QString, QString> words{{"latin1", tr("Latin-1")},
                                        {"windows1252", tr("Windows-1252 (Western Europe)")},
                                        {"utf16", tr("UTF-16")},
                                        {"cp949", tr("CP949 (Korean)")},
                                        {"gb18030", tr("GB18030 (Chinese)")},
                                        {"utf8", tr("UTF-8")}};
    const std::optional<FieldSchema> schema = fieldSchema("data.train.csv.encoding");
    for (const QString& name : schema ? schema->choices : QStringList()) {
        m_encodings->addItem(words.value(name, name), name);
    }
    m_encodings->setCurrentIndex(m_encodings->findData("windows1252"));
    m_encoding.card->body()->insertWidget(2, m_encodings);
    m_encoding.title->setBuddy(m_encodings);
}

TableTroubleView::Way TableTroubleView::addWay(const QString& name, const QString& title,
                                               const QString& button)
{
    Way way;
    way.card = new Card;
    way.card->setObjectName("way." + name);
    QVBoxLayout* column = way.card->body();
    column->setSpacing(scaled(8));
    way.title = new Label(title, TextRole::Strong);
    column->addWidget(way.title);
    way.words = new Label({}, TextRole::Label, Ink::Secondary);
    way.words->setWordWrap(true);
    column->addWidget(way.words);
    way.becomesTitle = new Label({}, TextRole::Label, Ink::Secondary);
    column->addWidget(way.becomesTitle);
    way.becomes = new CodeBox;
    way.becomes->setObjectName("becomes." + name);
    column->addWidget(way.becomes);
    column->addStretch(1);
    auto* bottom = new QHBoxLayout;
    way.foot = new Label({}, TextRole::Label, Ink::Secondary);
    way.foot->setObjectName("foot." + name);
    way.foot->setWordWrap(true);
    bottom->addWidget(way.foot, 1);
    way.button = new Button(Button::Kind::Plain, button);
    way.button->setObjectName("button." + name);
    bottom->addWidget(way.button);
    column->addLayout(bottom);
    static_cast<AdaptiveRow*>(m_ways)->addPart(way.card, 1, kWayWidth);
    return way;
}

void TableTroubleView::setTrouble(const TableTrouble& trouble, bool isInProject)
{
    m_trouble = trouble;
    m_lines = {};
    m_rows = -1;
    const bool hasLine = trouble.line > 0;
    const QString becomes = tr("Line %1 becomes").arg(formatCount(trouble.line));
    for (const Way* way : {&m_skip, &m_delimiter, &m_encoding}) {
        way->becomesTitle->setText(becomes);
    }
    m_skip.card->setVisible(trouble.canSkip());
    m_skip.becomes->setText(tr("skipped"));
    m_delimiter.card->setVisible(trouble.canChangeDelimiter());
    m_encoding.card->setVisible(trouble.canChangeEncoding());
    m_encoding.becomesTitle->hide();
    m_encoding.becomes->hide();
    m_locate.card->setVisible(trouble.isMissing() || !isInProject);
    m_locate.becomesTitle->setVisible(trouble.isMissing());
    m_locate.becomes->setVisible(trouble.isMissing());
    m_locate.becomesTitle->setText(tr("Expected at"));
    m_locate.becomes->setText(formatPath(trouble.file));
    m_locate.words->setText(!trouble.isMissing()
                                ? tr("Reads another file and leaves this one as it is.")
                            : isInProject ? tr("Updates the file's location in the experiment.")
                                          : tr("Reads the table from another location."));
    m_note->setText(isInProject
                        ? tr("The file itself is not changed. The choice is kept in the experiment "
                             "file and can be undone.")
                        : tr("The file itself is not changed. The choice is kept in the new "
                             "project."));
    m_lineCard->setVisible(hasLine);
    setRowsWhenSkipped(-1);
    showLines();
}

void TableTroubleView::setHindrance(const QString& hindrance)
{
    m_ways->setEnabled(hindrance.isEmpty());
    if (!hindrance.isEmpty()) {
        m_note->setText(hindrance);
    }
}

void TableTroubleView::setLines(const TableLines& lines)
{
    m_lines = lines;
    showLines();
}

void TableTroubleView::setRowsWhenSkipped(qint64 rows)
{
    m_rows = rows;
    m_skip.foot->setText(
        rows < 0 ? QString() : counted(rows, tr("1 row will be read"), tr("%1 rows will be read")));
}

QString TableTroubleView::badLine() const
{
    return m_lines.lines.value(static_cast<qsizetype>(m_trouble.line - m_lines.first));
}

void TableTroubleView::showLines()
{
    clearLayout(m_lineRows);
    const qint64 last = m_lines.first + m_lines.lines.size() - 1;
    m_lineCard->setTitle(
        m_lines.lines.isEmpty()
            ? tr("Line %1").arg(formatCount(m_trouble.line))
            : tr("Lines %1–%2").arg(formatCount(m_lines.first), formatCount(last)));
    for (qsizetype i = 0; i < m_lines.lines.size(); ++i) {
        const qint64 number = m_lines.first + i;
        m_lineRows->addWidget(
            new LineRow(number, m_lines.lines[i], number == m_trouble.line, m_lineCard));
    }
    if (m_lines.lines.isEmpty()) {
        auto* words =
            new Label(m_lines.problem.isEmpty() ? tr("Looking for the line…") : m_lines.problem,
                      TextRole::Body, Ink::Secondary);
        words->setWordWrap(true);
        m_lineRows->addWidget(words);
    }
    if (!m_lines.lines.isEmpty()) {
        const QChar likely = likelyDelimiter(QStringList(m_lines.header) + m_lines.lines);
        m_delimiters->setCurrentIndex(m_delimiters->findData(QString(likely)));
    }
    showDelimiter();
}

void TableTroubleView::showDelimiter()
{
    const QString chosen = m_delimiters->currentData().toString();
    const bool knows = !m_lines.lines.isEmpty() && !chosen.isEmpty();
    m_delimiter.button->setEnabled(knows);
    if (!knows) {
        m_delimiter.words->setText(tr("Reads the file with another separator."));
        m_delimiter.becomes->setText(tr("…"));
        return;
    }
    const int columns = valuesIn(m_lines.header, chosen.at(0));
    const int values = valuesIn(badLine(), chosen.at(0));
    m_delimiter.words->setText(
        tr("With a %1 as separator, the first line has %2.")
            .arg(delimiterName(chosen.at(0)), counted(columns, tr("1 value"), tr("%1 values"))));
    m_delimiter.becomes->setText(columns > 1 && values == columns
                                     ? counted(values, tr("1 value, like the first line"),
                                               tr("%1 values, like the first line"))
                                     : counted(values, tr("1 value"), tr("%1 values")) +
                                           tr(": it would not help"));
}

} // namespace cannery::ui
