// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/hash_editor.h"

#include "ui/editors/share_delegate.h"
#include "ui/models/formats.h"
#include "ui/models/hash_collisions.h"
#include "ui/models/hashed_values_model.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace cannery::ui {

namespace {

constexpr int kRowsShown = 8;

} // namespace

HashEditor::HashEditor(QWidget* parent)
    : QWidget(parent), m_model(new HashedValuesModel(this)),
      m_sorted(new QSortFilterProxyModel(this)),
      m_expected(new Label({}, TextRole::Label, Ink::Secondary)),
      m_seen(new Label({}, TextRole::Label, Ink::Secondary)),
      m_title(new Label({}, TextRole::LabelStrong)),
      m_more(new Button(Button::Kind::Link, QString())), m_targets(new QComboBox),
      m_table(new TableView(TableView::Rows::Data))
{
    setObjectName("editor.hash");
    setAccessibleName(tr("Buckets"));
    m_expected->setObjectName("words.sharing");
    m_expected->setWordWrap(true);
    m_seen->setObjectName("words.observed_sharing");
    m_seen->setWordWrap(true);
    m_title->setObjectName("words.label_of_values");
    m_title->setWordWrap(true);
    m_more->setObjectName("button.more_buckets");
    m_targets->setObjectName("choice.label_class");
    m_targets->setAccessibleName(tr("The class whose share is shown"));
    makeTable();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addWidget(m_expected);
    column->addWidget(m_seen);
    column->addWidget(m_more, 0, Qt::AlignLeft);
    column->addWidget(m_title);
    column->addWidget(m_targets);
    column->addWidget(m_table);
    connect(m_more, &QPushButton::clicked, this, [this] { Q_EMIT bucketsRequested(m_suggested); });
    connect(m_targets, &QComboBox::currentIndexChanged, this, [this](int target) {
        m_model->setTarget(target);
        m_title->setText(m_model->labelTitle());
    });
    refresh();
}

void HashEditor::makeTable()
{
    m_sorted->setSortRole(HashedValuesModel::SortRole);
    m_sorted->setSourceModel(m_model);
    m_table->setObjectName("table.hashed_values");
    m_table->setAccessibleName(tr("Values that occur"));
    m_table->setModel(m_sorted);
    m_table->setItemDelegate(new ShareDelegate(m_table));
    m_table->verticalHeader()->setVisible(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setSortingEnabled(true);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSortIndicator(HashedValuesModel::Count, Qt::DescendingOrder);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(HashedValuesModel::Values, QHeaderView::Stretch);
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(scaled(24));
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    const auto fit = [this] {
        m_table->setFont(textFont(TextRole::Label));
        m_table->setColumnWidth(HashedValuesModel::Count, scaled(62));
        m_table->setColumnWidth(HashedValuesModel::Label, scaled(52));
        m_table->setColumnWidth(HashedValuesModel::Bucket, scaled(58));
    };
    connect(&themeWatch(), &ThemeWatch::changed, m_table, fit);
    fit();
}

void HashEditor::setSize(double values, double buckets, bool areCombinations)
{
    m_values = values;
    m_buckets = buckets;
    m_areCombinations = areCombinations;
    refresh();
}

void HashEditor::setObserved(const HashedFacts* observed)
{
    m_observed = observed ? *observed : HashedFacts();
    m_model->setFacts(m_observed);
    const QSignalBlocker blocker(m_targets);
    const int before = std::max(0, m_targets->currentIndex());
    m_targets->clear();
    for (const QString& target : std::as_const(m_observed.targets)) {
        m_targets->addItem(QStringLiteral("%1 = %2").arg(m_observed.labelName, target));
    }
    m_targets->setCurrentIndex(before < m_targets->count() ? before : 0);
    m_model->setTarget(std::max(0, m_targets->currentIndex()));
    m_targets->setVisible(m_targets->count() > 1);
    refresh();
}

QString HashEditor::expectation(double values) const
{
    const QString share = formatPercent(expectedSharing(values, m_buckets), 0);
    const QString count = formatCount(std::llround(values));
    const QString buckets = formatCount(std::llround(m_buckets));
    return m_areCombinations
               ? tr("%1 combinations in %2 buckets: about %3 of them are expected to share a "
                    "bucket. Combinations that share a bucket cannot be told apart.")
                     .arg(count, buckets, share)
               : tr("%1 values in %2 buckets: about %3 of them are expected to share a bucket. "
                    "Values that share a bucket cannot be told apart.")
                     .arg(count, buckets, share);
}

QString HashEditor::observation() const
{
    if (!m_observed.problem.isEmpty()) {
        return m_observed.problem;
    }
    const QString count = m_observed.isExact
                              ? formatCount(m_observed.distinct)
                              : tr("at least %1").arg(formatCount(m_observed.distinct));
    const QString share = formatPercent(m_observed.sharing(), 0);
    // Of rows, not of values: a few frequent values matter more than many rare ones.
    const double rows = m_observed.occurrences > 0
                            ? double(m_observed.sharedOccurrences) / double(m_observed.occurrences)
                            : 0;
    // An estimate of the combinations below what occurs would contradict itself.
    if (m_areCombinations && m_observed.isExact && m_values >= double(m_observed.distinct)) {
        return tr("Observed: %1 of %2 combinations occur; %3 of these share a bucket, in %4 of "
                  "the rows.")
            .arg(count, formatCount(std::llround(m_values)), share, formatPercent(rows, 0));
    }
    return tr("Observed: %1 occur; %2 of these share a bucket, in %3 of the rows.")
        .arg(count, share, formatPercent(rows, 0));
}

void HashEditor::refresh()
{
    const bool isSeen = !m_observed.column.isEmpty();
    const bool isCounted = isSeen && m_observed.problem.isEmpty();
    // What occurs decides; what could occur is only known before the rows have been counted.
    const double values =
        isCounted && m_observed.distinct > 0 ? double(m_observed.distinct) : m_values;
    const bool isKnown = values > 0 && m_buckets >= 1;
    m_suggested = suggestedBuckets(values);
    m_expected->setText(isKnown ? expectation(values) : QString());
    m_expected->setVisible(isKnown);
    m_seen->setText(isSeen ? observation() : QString());
    m_seen->setVisible(isSeen);
    // Without a shared bucket, more of them only cost memory.
    const bool isCrowded = !isCounted || m_observed.shared > 0;
    m_more->setVisible(isKnown && isCrowded && m_suggested > m_buckets);
    m_more->setText(tr("Use %1 Buckets").arg(formatCount(m_suggested)));
    m_table->setVisible(isCounted && !m_observed.values.isEmpty());
    m_title->setText(m_model->labelTitle());
    m_title->setVisible(!m_table->isHidden() && !m_title->text().isEmpty());
    m_table->setColumnHidden(HashedValuesModel::Label, m_observed.targets.isEmpty());
    const int rows = std::min<int>(kRowsShown, int(m_observed.values.size()));
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() +
                            rows * m_table->verticalHeader()->defaultSectionSize() +
                            2 * m_table->frameWidth());
}

} // namespace cannery::ui
