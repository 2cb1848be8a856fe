# What both scripts share: how the server is asked, and how an answer is read. To be read in with `.`.

url=${LEADHAND_URL:-http://127.0.0.1:7070}
: "${LEADHAND_TOKEN:?is not set. The admin token is a file in the data directory of the server: admin-token}"
command -v curl >/dev/null || { echo "This example is written with curl, and there is no curl here." >&2; exit 127; }

# ask METHOD PATH [more options of curl]: leaves `status` and `answer`, and shows what was asked and answered. Where no
# answer came the status is 000.
ask() {
  method=$1 path=$2
  shift 2
  shown=
  for word; do
    case $word in -?) shown="$shown $word" ;; *) shown="$shown '$word'" ;; esac
  done
  printf '%s\n' "\$ curl -X $method $url/v1$path$shown"
  reply=$(curl -sS -X "$method" "$url/v1$path" -H "Authorization: Bearer $LEADHAND_TOKEN" -w '\n%{http_code}' "$@")
  status=$(printf '%s\n' "$reply" | tail -n 1)
  answer=$(printf '%s\n' "$reply" | sed '$d')
  printf '%s\n' "$status $answer" | cut -c 1-100
}

# member NAME: the text of a member of the answer, as JSON writes it. Good enough where no payload or result can hold
# another member of that name; for JSON of any shape use a parser.
member() {
  printf '%s' "$answer" | tr '\n\r\t' '   ' | sed -nE "s/.*\"$1\" *: *\"(([^\"\\\\]|\\\\.)*)\".*/\1/p"
}
