// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/table_trouble_view.h"

#include "ui/document/field_schema.h"
#include "ui/models/formats.h"
#include "ui/models/tables/value_join.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHash>
#include <QPainter>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kWayWidth = 300;

/// What is wrong with a part of a line.
struct LineFault
{
    JoinSpan span;
    QString words; ///< empty if nothing is
};

/// One line of the file: its number and its text; the bad one on the error colour, with a bracket
/// under what is wrong.
class LineRow : public QWidget
{
public:
    LineRow(qint64 number, const QString& text, bool isBad, const LineFault& fault, QWidget* parent)
        : QWidget(parent), m_isBad(isBad), m_text(text), m_fault(fault)
    {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(scaled(12), scaled(4), scaled(8),
                                scaled(fault.words.isEmpty() ? 4 : 30));
        row->setSpacing(scaled(20));
        auto* place =
            new Label(formatCount(number), TextRole::Code, isBad ? Ink::Error : Ink::Secondary);
        place->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        place->setMinimumWidth(scaled(64));
        m_words = new ElidedLabel(text, TextRole::Code);
        row->addWidget(place);
        row->addWidget(m_words, 1);
        setObjectName(isBad ? "line.bad" : "line");
        const QString spoken = TableTroubleView::tr("Line %1: %2").arg(formatCount(number), text);
        setAccessibleName(spoken);
        setAccessibleDescription(fault.words);
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        if (!m_isBad) {
            return;
        }
        QPainter painter(this);
        painter.fillRect(rect(), tokens().errBg);
        const QRect bar(0, 0, scaled(3), height());
        painter.fillRect(QStyle::visualRect(layoutDirection(), rect(), bar), tokens().err);
        if (!m_fault.words.isEmpty()) {
            paintFault(painter);
        }
    }

private:
    /// The bracket is left out where the text is cut off, and in mirrored windows.
    void paintFault(QPainter& painter) const
    {
        const QFontMetrics metrics(textFont(TextRole::Code));
        const QRect words = m_words->geometry();
        const int begin = metrics.horizontalAdvance(m_text.left(m_fault.span.begin));
        const int end = metrics.horizontalAdvance(m_text.left(m_fault.span.end));
        const bool fits = !isRightToLeft() && metrics.horizontalAdvance(m_text) <= words.width();
        const int top = words.bottom() + scaled(2);
        painter.setFont(textFont(TextRole::Label));
        painter.setPen(QPen(tokens().err, 2));
        if (fits) {
            const int left = words.left() + begin;
            const int right = words.left() + end;
            painter.drawPolyline(QPolygon(
                {{left, top}, {left, top + scaled(4)}, {right, top + scaled(4)}, {right, top}}));
        }
        const int room = painter.fontMetrics().horizontalAdvance(m_fault.words);
        const int wanted = fits ? words.left() + begin : words.left();
        const int x = std::max(words.left(), std::min(wanted, words.right() - room));
        paintWords(painter, QRect(x, top + scaled(7), words.right() - x, scaled(18)),
                   Qt::AlignLeading | Qt::AlignVCenter, m_fault.words);
    }

    bool m_isBad;
    QString m_text;
    LineFault m_fault;
    ElidedLabel* m_words;
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
      m_joined(new QComboBox), m_recommended(new Pill), m_delimiters(new QComboBox),
      m_encodings(new QComboBox), m_note(new Label({}, TextRole::Label, Ink::Secondary))
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
    addJoin();
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

void TableTroubleView::addJoin()
{
    m_join = addWay("join", tr("Join the two values"), tr("Join Values"));
    m_joined->setObjectName("field.joined");
    m_joined->setAccessibleName(tr("Column of the joined value"));
    m_join.card->body()->insertWidget(2, m_joined);
    m_join.title->setBuddy(m_joined);
    m_recommended->setState(Pill::Kind::Ok, "check", tr("recommended"));
    m_join.card->body()->insertWidget(1, m_recommended, 0, Qt::AlignLeft);
    connect(m_joined, &QComboBox::currentIndexChanged, this, [this] {
        showJoin();
        showLines();
        Q_EMIT joinChanged();
    });
    connect(m_join.button, &QPushButton::clicked, this, &TableTroubleView::joinWanted);
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
    // What spreadsheet programs on Windows save in Western Europe.
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
    for (const Way* way : {&m_join, &m_skip, &m_delimiter, &m_encoding}) {
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
    fillJoin();
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
    fillJoin();
    showLines();
    Q_EMIT joinChanged();
}

void TableTroubleView::setJoinable(bool isJoinable, QChar delimiter)
{
    m_isJoinable = isJoinable;
    m_fileDelimiter = delimiter;
    fillJoin();
}

QChar TableTroubleView::delimiterOfFile() const
{
    return m_fileDelimiter.isNull() ? likelyDelimiter(QStringList(m_lines.header) + m_lines.lines)
                                    : m_fileDelimiter;
}

std::optional<ValueJoin> TableTroubleView::join() const
{
    const QChar delimiter = delimiterOfFile();
    const int values = m_trouble.arguments.value(3).toInt();
    // One value too many, in a line that otherwise fits the header: a delimiter in a value without
    // quotes.
    const bool fits = m_isJoinable && m_trouble.errorId == "csv.field_count" && values > 0 &&
                      !m_lines.lines.isEmpty() && valuesIn(m_lines.header, delimiter) == values &&
                      valuesIn(badLine(), delimiter) == values + 1 && m_joined->currentIndex() >= 0;
    return fits ? std::optional(ValueJoin{.file = m_trouble.file,
                                          .delimiter = delimiter,
                                          .values = values,
                                          .column = m_joined->currentIndex()})
                : std::nullopt;
}

/// The columns that the joined value may be in, with the likeliest chosen.
void TableTroubleView::fillJoin()
{
    const QChar delimiter = delimiterOfFile();
    QStringList neighbours;
    for (qsizetype i = 0; i < m_lines.lines.size(); ++i) {
        // Good lines show what a column's values look like. The header is none.
        if (const qint64 number = m_lines.first + i; number > 1 && number != m_trouble.line) {
            neighbours << m_lines.lines[i];
        }
    }
    const LikelyJoin likely = likelyJoin(badLine(), neighbours, delimiter);
    {
        const QSignalBlocker blocker(m_joined);
        m_joined->clear();
        m_joined->addItems(splitLine(m_lines.header, delimiter));
        m_joined->setCurrentIndex(likely.column);
    }
    m_recommended->setVisible(likely.isClear);
    m_join.card->setVisible(join().has_value());
    setJoins({});
    showJoin();
}

void TableTroubleView::showJoin()
{
    const auto joined = join();
    if (!joined) {
        return;
    }
    const QStringList values = splitLine(badLine(), joined->delimiter);
    const QString value =
        values.value(joined->column) + joined->delimiter + values.value(joined->column + 1);
    m_join.words->setText(tr("Writes a copy of the file with quotes around the value, and reads "
                             "that; the same in every line with one value too many."));
    m_join.becomes->setText(QStringLiteral("%1 = \"%2\"").arg(m_joined->currentText(), value));
}

void TableTroubleView::setJoins(const JoinedTable& joins)
{
    m_join.button->setText(joins.joined > 0
                               ? counted(joins.joined, tr("Join in 1 Line"), tr("Join in %1 Lines"))
                               : tr("Join Values"));
    const QString rows = counted(joins.rows, tr("1 row will be read"), tr("%1 rows will be read"));
    m_join.foot->setText(!joins.problem.isEmpty() ? joins.problem
                         : joins.joined == 0      ? QString()
                         : joins.stillBad == 0
                             ? rows
                             : counted(joins.stillBad, tr("1 other bad line is left"),
                                       tr("%1 other bad lines are left")));
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
    LineFault fault;
    if (const auto joined = join()) {
        const QString& next = m_joined->itemText(joined->column + 1);
        fault.span = joinSpan(badLine(), joined->delimiter, joined->column);
        fault.words = next.isEmpty()
                          ? tr("read as two values, the last one without a column")
                          : tr("read as two values: %1 and %2").arg(m_joined->currentText(), next);
    }
    for (qsizetype i = 0; i < m_lines.lines.size(); ++i) {
        const qint64 number = m_lines.first + i;
        const bool isBad = number == m_trouble.line;
        m_lineRows->addWidget(
            new LineRow(number, m_lines.lines[i], isBad, isBad ? fault : LineFault(), m_lineCard));
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
