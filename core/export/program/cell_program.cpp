// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/cell_program.h"

#include "core/export/program/python_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace cannery::exporting {

namespace {

/// As storage/tabular/number_notation.h reads numbers.
constexpr std::string_view kWritten = R"py(
BLANKS = ' \t\xa0\u202f\u2009\u2007'
SPELLINGS = {' ': BLANKS, '\'': '\'\u2019'}  # of marks between groups of digits
MAGNITUDES = {'k': 3, 'm': 6, 'mn': 6, 'mio': 6, 'b': 9, 'bn': 9, 'mrd': 9, 't': 12}


def written(kind, decimal_mark, group_mark, affixes, brackets, minus_behind, magnitudes):
    """A reader of numbers in the notation of a column."""
    marks = '[%s]' % re.escape(SPELLINGS.get(group_mark, group_mark) or '\0')
    whole = r'(?:[1-9]\d{0,2}(?:%s\d{3})+|[1-9]\d?(?:%s\d\d)+%s\d{3}|\d*)' % ((marks,) * 3)
    number = re.compile(r'%s(?:%s\d*)?(?:[eE][+-]?\d+)?$' % (whole, re.escape(decimal_mark)))

    def read(text):
        signs, before, power = [], None, ''
        while text != before:
            before = text
            text = text.strip(BLANKS)
            around = [a for a in affixes if len(a) < len(text) and
                      (text.startswith(a) or text.endswith(a))]
            affix = max(around, key=len, default='')
            if brackets and text[:1] == '(' and text[-1:] == ')':
                signs.append('-')
                text = text[1:-1]
            elif affix:
                text = text[len(affix):] if text.startswith(affix) else text[:-len(affix)]
            elif minus_behind and text[-1:] in ('-', '\u2212'):
                signs.append('-')
                text = text[:-1]
            elif text[:1] in ('-', '+', '\u2212'):
                signs.append('+' if text[0] == '+' else '-')
                text = text[1:]
            suffix = re.search(r'[^\d.,]*$', text).group() if magnitudes and not power else ''
            if suffix.strip(BLANKS).lower() in MAGNITUDES:
                power = 'e%d' % MAGNITUDES[suffix.strip(BLANKS).lower()]
                text = text[:-len(suffix)]
        if len(signs) > 1 or not (number.match(text) or text.isalpha()):
            raise ValueError('not a number: %s' % text)
        if not text.isalpha():  # neither NaN nor infinity
            text = re.sub(marks, '', text).replace(decimal_mark, '.') + power
        return kind(('-' if '-' in signs else '') + text)

    DTYPES[read] = DTYPES[kind]
    return read
)py";

/// As core/data/typing/date_reader.h reads dates.
constexpr std::string_view kDates = R"py(
MONTHS = ('january february march april may june july august september october november '
          'december januar februar m\xe4rz mrz mai juni juli oktober dezember').split()
MONTH_NUMBERS = list(range(1, 13)) + [1, 2, 3, 3, 5, 6, 7, 10, 12]
WEEKDAY = re.compile('(?:mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|'
                     'sat(?:urday)?|sun(?:day)?)[., ]+', re.IGNORECASE)
HOUR = (r'(?P<hour>\d\d?)(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d*))?)?)?'
        r'(?: *(?P<half>[AaPp])(?:[mM]|\.[mM]\.?))?')
ZONE = (r' *(?P<zone>(?:[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt])?)'
        r'(?:(?P<sign>[+-])(?P<hours>\d\d?)(?::?(?P<minutes>\d\d?))?)?$')
CLOCK = '(?:(?:[Tt:]|[ ,]+)' + HOUR + ZONE[:-1] + ')?$'
NAME = r'(?P<name>[^\W\d_]{3,})'
TH = '(?:st|nd|rd|th)?'
DATES = [re.compile(form) for form in (
    HOUR + '$',
    r'(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)' + CLOCK,
    r'(?P<year>(?:19|20|21)\d\d)(?P<month>\d\d)(?P<day>\d\d)' + CLOCK,
    r'(?P<year>\d{4})(?: +|[-/.])' + NAME + r'(?: +|[-/.])(?P<day>\d\d?)' + CLOCK,
    r'(?P<one>\d\d?)(?P<mark>[-/.])(?P<two>\d\d?)(?P=mark)(?P<three>\d{4}|\d\d)' + CLOCK,
    r'(?P<day>\d\d?)' + TH + r'(?:\.? +|[-/.]?)' + NAME + r"[-/., ']+(?P<year>\d{4}|\d\d)" + CLOCK,
    NAME + r"[-/., ']+(?P<day>\d\d?)" + TH + r"[-/., ']+(?P<year>\d{4}|\d\d)" + CLOCK,
    NAME + r"[-/., ']+(?P<day>\d\d?)" + TH + r"[-/., ']+" + HOUR + ZONE[:-1] + r' +(?P<year>\d{4})$',
    r'(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?$',
    r'(?P<year>\d{4})(?P<month>\d\d)?$', r'(?P<year>\d{4})[-/](?P<month>\d\d?)$',
    r'(?P<month>\d\d?)[-/](?P<year>\d{4})$', r'(?P<year>\d{4})[-/. ]*[Mm](?P<month>\d\d?)$',
    r'(?P<year>\d{4})[-/. ]*[Qq](?P<quarter>[1-4])$', r'[Qq](?P<quarter>[1-4])[-/ ]+(?P<year>\d{4})$',
    r'(?P<year>\d{4})[-/. ]*' + NAME + '$', NAME + r"[-/., ']+(?P<year>\d{4})$",
    NAME + r"[-'](?P<year>\d\d)$")]


def month_of(name):
    for month, number in zip(MONTHS, MONTH_NUMBERS):
        if month.startswith(name.lower()):
            return number
    raise ValueError('not a month: %s' % name)


def day_of(parts, notation):
    """The date in a text that was taken apart."""
    year, month, day = parts.get('year'), parts.get('month') or 1, parts.get('day') or 1
    if parts.get('one'):
        orders = {'day_first': ('three', 'two', 'one'), 'month_first': ('three', 'one', 'two'),
                  'iso': ('one', 'two', 'three')}
        year, month, day = (parts[place] for place in orders[notation])
        if notation == 'iso' and len(parts['three']) == 4:
            raise ValueError('neither day nor month is said to be first')
        if len(parts['three']) == 2:
            year = year.rjust(2, '0')
    if parts.get('name'):
        month = month_of(parts['name'])
    if parts.get('quarter'):
        month = int(parts['quarter']) * 3 - 2
    if len(year or '1970') == 2:
        year = int(year) + (2000 if int(year) < 50 else 1900)
    return datetime.date(int(year or 1970), int(month), int(day))


def seconds_of(number):
    whole = int(number.to_integral_value(decimal.ROUND_FLOOR))
    return whole, format(number - whole, 'f')[2:].rstrip('0'), 0


def date_of(text, notation):
    """Seconds since 1970, the digits of their fraction, and by how much the clock is ahead."""
    text = str(text).strip()
    if notation in ('unix_seconds', 'unix_milliseconds'):
        try:
            number = decimal.Decimal(text)
        except decimal.InvalidOperation:
            raise ValueError('not a number of seconds: %s' % text)
        return seconds_of(number / (1000 if notation == 'unix_milliseconds' else 1))
    if notation == 'excel_days':
        return int(np.floor((float(text) - 25569) * 86400 + 0.5)), '', 0
    if TIME.match(text):
        return iso_time(text)
    bare = WEEKDAY.sub('', text, 1) if WEEKDAY.match(text) else text
    for form in DATES:
        match = form.match(bare)
        parts = match.groupdict() if match else {}
        if match and (not parts.get('hour') or parts.get('minute') or parts.get('half')):
            break
    else:
        raise ValueError('not a date: %s' % text)
    hour, half = int(parts.get('hour') or 0), (parts.get('half') or '').lower()
    hour = hour % 12 + (12 if half == 'p' else 0) if half else hour
    clock = datetime.time(hour, int(parts.get('minute') or 0), int(parts.get('second') or 0))
    east = int(parts.get('hours') or 0) * 3600 + int(parts.get('minutes') or 0) * 60
    east = -east if parts.get('sign') == '-' else east
    moment = datetime.datetime.combine(day_of(parts, notation), clock)
    seconds = (moment - datetime.datetime(1970, 1, 1)) // datetime.timedelta(seconds=1)
    return seconds - east, (parts.get('fraction') or '').rstrip('0'), east


def date_parts(rows, column, notation, part, origin):
    """A number that each date of a column gives."""
    _, default, missing = TABLE[column]
    dates = [date_of(default if row[column] in missing else row[column], notation) for row in rows]
    if part == 'days_since':
        start, digits, _ = iso_time(origin)
        return np.array([(seconds - start + float('0.%s0' % fraction) - float('0.%s0' % digits)) / 86400
                         for seconds, fraction, _ in dates], np.float32)
    moments = [datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds + east)
               for seconds, _, east in dates]
    return np.array([moment.weekday() if part == 'weekday' else getattr(moment, part)
                     for moment in moments], np.int64)
)py";

std::string truth(bool is)
{
    return is ? "True" : "False";
}

std::string quotedName(spec::DateNotation::Name notation)
{
    return pythonText(spec::DateNotation::Name_Name(notation));
}

} // namespace

std::set<std::string> cellImports(const spec::Data& data)
{
    // Modules are imported only if a cell needs them, as a person who reads the program would.
    const auto isDatePart = [](const spec::Feature& one) { return one.has_date_part(); };
    if (data.split().has_by_time() ||
        std::any_of(data.feature().begin(), data.feature().end(), isDatePart)) {
        return {"datetime", "decimal", "re"};
    }
    const auto isWritten = [](const spec::Column& one) { return one.has_number_notation(); };
    return std::any_of(data.column().begin(), data.column().end(), isWritten)
               ? std::set<std::string>{"re"}
               : std::set<std::string>();
}

std::string_view writtenNumbers()
{
    return kWritten;
}

std::string writtenNumberReader(const spec::NumberNotation& notation, std::string_view kind,
                                spec::DecimalMark::Name usualMark)
{
    const spec::DecimalMark::Name mark =
        notation.has_decimal_mark() ? notation.decimal_mark() : usualMark;
    std::vector<std::string> affixes;
    for (const std::string& affix : notation.affix()) {
        affixes.push_back(pythonText(affix));
    }
    return fmt::format(
        "written({}, '{}', {}, {}, {}, {}, {})", kind, mark == spec::DecimalMark::comma ? ',' : '.',
        pythonText(notation.group_mark()), pythonList(affixes), truth(notation.brackets_negative()),
        truth(notation.minus_behind()), truth(notation.magnitudes()));
}

std::string_view dateReaders()
{
    return kDates;
}

std::string dateReadCall(const std::string& text, spec::DateNotation::Name notation)
{
    return fmt::format("date_of({}, {})", text, quotedName(notation));
}

std::string datePartsCall(const spec::DatePart& part, spec::DateNotation::Name notation)
{
    return PythonCall("date_parts")
        .add("rows")
        .add(pythonText(part.column()))
        .add(quotedName(notation))
        .add(pythonText(spec::DatePart::Name_Name(part.part())))
        .add(pythonText(part.origin().empty() ? "1970-01-01" : part.origin()))
        .text();
}

} // namespace cannery::exporting
