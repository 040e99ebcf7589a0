/* The least that a program costs: linked with no library but the C library, and with -static. */
int main(void)
{
    return 0;
}
